import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `A body as text` {
    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\n\n\nb\n", ["a", "b"]),
            ("a\rb\u{B}c\u{C}d", ["a", "b", "c", "d"]), ("ä\u{85}ö\u{2028}ü\u{2029}ß", ["ä", "ö", "ü", "ß"]),
            ("\u{2027}x\u{A8}", ["\u{2027}x\u{A8}"]), ("\u{85}\u{2028}", []),
        ] as [(String, [String])])
    func `is split into lines that are not empty`(text: String, lines: [String]) {
        var splitter = LineSplitter()
        var split: [String] = []
        for byte in text.utf8 { if let line = splitter.take(byte) { split.append(line) } }
        if let line = splitter.end() { split.append(line) }
        #expect(split == lines)
    }

    @Test(
        arguments: [
            [], Array("aä€😀e\u{301}".utf8), [0x61, 0xFF, 0x62], [0xE2, 0x82], [0xE2, 0x82, 0x61], [0xC2, 0xC3, 0xA4],
            [0x80, 0x80], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func `is decoded as the whole of it would be`(bytes: [UInt8]) {
        var decoder = ScalarDecoder()
        var scalars: [Unicode.Scalar] = []
        for byte in bytes { scalars += decoder.take(byte) }
        scalars += decoder.end()
        #expect(scalars == Array(String(decoding: bytes, as: UTF8.self).unicodeScalars))
    }

    @Test func `comes from a session as lines, characters and scalars`() async throws {
        let session = FerryURLSession.URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "data:text/plain;charset=utf-8;base64,ZcyBYQ0KCmLinKg="))
        var lines: [String] = []
        for try await line in try await session.bytes(from: url).0.lines { lines.append(line) }
        #expect(lines == ["e\u{301}a", "b✨"])
        var characters: [Character] = []
        for try await character in try await session.bytes(from: url).0.characters { characters.append(character) }
        #expect(characters == ["e\u{301}", "a", "\r\n", "\n", "b", "✨"])
        var scalars = ""
        for try await scalar in try await session.bytes(from: url).0.unicodeScalars {
            scalars.unicodeScalars.append(scalar)
        }
        #expect(scalars == "e\u{301}a\r\n\nb✨")
    }
}
