// A list of downloads in a terminal. Kill it whenever you like: the downloads go on, and the list is there again.
// Usage: DownloadDemo [LIST]; `help` says what it can do.

import Ferry
import Foundation

@main struct DownloadDemo {
    static func main() async {
        let downloads = Downloads(CommandLine.arguments.dropFirst().first ?? "demo")
        var screen: any Screen = isatty(1) == 1 ? TerminalScreen() : LineScreen()
        screen.say(Instruction.text)
        screen.show(downloads.overview)
        for await input in Input.all {
            switch input {
            case .moment: break
            case .end:
                screen.close()
                return
            case .line(let line):
                guard let instruction = Instruction(line) else {
                    screen.say(line.isEmpty ? "" : "“\(line)” is not understood. \(Instruction.text)")
                    break
                }
                if instruction == .quit {
                    screen.close()
                    return
                }
                screen.say(await downloads.follow(instruction))
            }
            screen.show(downloads.overview)
        }
    }
}
