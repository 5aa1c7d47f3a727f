// Parsing of instructions.

import Testing

@testable import DownloadDemo

@Suite struct `Instructions` {
    @Test(
        arguments: [
            ("add https://example.org/x", .add("https://example.org/x")), ("pause 2", .pause(.one(2))),
            ("pause all", .pause(.all)), ("resume 1", .resume(.one(1))), ("resume all", .resume(.all)),
            ("remove 3", .remove(.one(3))), ("remove  all", .remove(.all)), ("limit 4", .limit(4)), ("list", .list),
            ("help", .help), ("quit", .quit),
        ] as [(String, Instruction)])
    func `known words are instructions`(line: String, instruction: Instruction) {
        #expect(Instruction(line) == instruction)
    }

    @Test(arguments: ["", "add", "add a b", "pause", "pause 0", "pause x", "limit 0", "limit x", "list all", "sing 1"])
    func `other words are none`(line: String) {
        #expect(Instruction(line) == nil)
    }
}
