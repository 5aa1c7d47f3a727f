import ArgumentParser
import CommandKit
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `The manual` {
    /// `Manual/` holds the recorded manual pages, as installed for `man`. `FERRY_RECORD=1` rewrites them.
    @Test(arguments: [[], ["get"], ["daemon", "status"]])
    func `L19 has a page of each command, as recorded`(words: [String]) throws {
        let page = try ManualCommand.page(words, in: CommandTree.ofFerry())
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Manual/\(page.name).1")
        if ProcessInfo.processInfo.environment["FERRY_RECORD"] == "1" {
            try Data(page.text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page.text)
    }

    @Test func `L19 lists its pages, and each can be printed`() async throws {
        let console = RecordingConsole()
        #expect(await ferry("manual", "--list", console: console) == 0)
        let pages = console.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(pages.count == Help.commands.count)
        let tree = try CommandTree.ofFerry()
        for words in pages { #expect(try ManualCommand.page(words, in: tree).text.hasPrefix(".TH FERRY-"), "\(words)") }
    }

    /// Every example must parse.
    @Test func `has three examples on each page, and each can be read`() throws {
        for (words, _) in try CommandTree.ofFerry().leaves {
            let examples = Example.of(words)
            #expect(examples.count == 3, "\(words)")
            for example in examples {
                // The part before a pipe or a redirection, without variables.
                let line = example.line.split(separator: /[|&>]/).first ?? ""
                let typed = line.split(separator: " ").map { String($0).replacing("'", with: "") }.drop {
                    $0.contains("=")
                }
                #expect(typed.first == "ferry", "\(example.line)")
                #expect(Array(typed.dropFirst().prefix(words.count)) == words, "\(example.line)")
                #expect(throws: Never.self, "\(example.line)") {
                    try FerryCommand.parseAsRoot(Array(typed.dropFirst()))
                }
            }
        }
    }

    @Test func `L19 prints a page`() async {
        let console = RecordingConsole()
        #expect(await ferry("manual", "daemon", "start", console: console) == 0)
        #expect(console.output.hasPrefix(".TH FERRY-DAEMON-START 1 "))
    }

    @Test func `L19 says where there is no page`() async {
        let console = RecordingConsole()
        #expect(await ferry("manual", "daemon", console: console) == 64)
        #expect(console.talk.contains("There is no page “daemon”; see ferry manual --list."))
    }

    @Test(arguments: [("a-b\\c", "a\\-b\\ec"), (".x", "\\&.x"), ("'x\ny", "\\&'x\ny")])
    func `text has no requests of roff`(text: String, escaped: String) {
        #expect(ManualPage.escaped(text) == escaped)
    }
}
