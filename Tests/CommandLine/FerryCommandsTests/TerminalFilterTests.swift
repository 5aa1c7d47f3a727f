import Testing

@testable import FerryCommands

@Suite struct `Text of a server on a terminal` {
    @Test(arguments: [
        ("plain\n\ttext", "plain\n\ttext"), ("a\u{1B}]0;title\u{7}b", "a\\u{1b}]0;title\\u{7}b"),
        ("a\r\nb\rc", "a\nb\\u{d}c"), ("\u{9B}31m", "\\u{9b}31m"), ("ä€🙂", "ä€🙂"), ("\u{202E}x", "\\u{202e}x"),
    ])
    func `is shown without its effects, however it is cut`(text: String, shown: String) {
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var filter = TerminalFilter()
            var result = ""
            var rest = bytes[...]
            while !rest.isEmpty {
                result += filter.shown(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(result == shown, "\(size)")
        }
    }

    @Test func `that is no UTF-8 becomes replacement characters`() {
        var filter = TerminalFilter()
        #expect(filter.shown([0x41, 0x9B, 0xFF, 0x42]) == "A\u{FFFD}\u{FFFD}B")
    }
}
