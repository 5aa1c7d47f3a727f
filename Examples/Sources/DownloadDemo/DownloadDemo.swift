// A list of downloads in a terminal. You can kill it at any time: the downloads continue, and the list returns at the
// next start.
// Usage: DownloadDemo [LIST] [URL…]
// The last line of the screen lists the keys. Without a terminal it reads commands, one per line: `help` lists them.

import Ferry
import Foundation

@main struct DownloadDemo {
    static func main() async {
        if Supervisor.isWanted { exit(Supervisor.run()) }
        let words = CommandLine.arguments.dropFirst()
        let downloads = Downloads(words.first ?? "demo")
        var controls = Controls()
        var screen: any Screen = Supervisor.hasTerminal ? TerminalScreen() : LineScreen()
        screen.say(Supervisor.hasTerminal ? "" : Instruction.text)
        for address in words.dropFirst() { screen.say(await downloads.follow(.add(address))) }
        screen.show(downloads.overview, controls)
        for await input in Input.all(byKey: Supervisor.hasTerminal) {
            var instruction: Instruction?
            switch input {
            case .moment: break
            case .end: instruction = .quit
            case .key(let key):
                let overview = downloads.overview
                switch controls.press(key, rows: overview.rows.count, limit: overview.limit) {
                case .follow(let wanted): instruction = wanted
                case .kill: kill(getpid(), SIGKILL)
                case nil: break
                }
            case .line(let line):
                instruction = Instruction(line)
                if instruction == nil {
                    screen.say(line.isEmpty ? "" : "“\(line)” is not understood. \(Instruction.text)")
                }
            }
            if instruction == .quit { return screen.close() }
            if let instruction { screen.say(await downloads.follow(instruction)) }
            screen.show(downloads.overview, controls)
        }
    }
}
