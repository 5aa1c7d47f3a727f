import FerryCore
import FerryFoundation
import FerryTesting
import Testing

@Suite struct `The text of a path` {
    @Test(
        arguments: [
            [], Array("plain".utf8), Array("Müsik".utf8), Array("\u{1F3B5}".utf8), [0x4D, 0xFC, 0x73, 0x69, 0x6B],
            [0x80], [0xFF, 0xFE],
            [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x8E], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
            // The scalars that stand for bytes, as a name in UTF-8.
            Array("\u{10FEFC}".utf8), Array("a\u{10FE80}b".utf8) + [0xFC],
        ] as [[UInt8]])
    func `has every byte`(bytes: [UInt8]) {
        let text = String(path: bytes)
        #expect(text.pathBytes == bytes)
        #expect(text.canonicalPath == text)
        let passed = text.withPath { unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        #expect(passed == bytes)
        #expect(
            String(validating: bytes, as: UTF8.self) == nil || bytes.contains(0xF4) || text.utf8.elementsEqual(bytes))
    }

    @Test func `has a form of its own for any bytes`() async throws {
        var mutations = Mutations(seed: 67)
        try await mutations.rounds(2_000) { random, _ in
            let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                UInt8.random(in: 0x7E...0xFF, using: &random)
            }
            #expect(String(path: bytes).pathBytes == bytes)
        }
    }

    @Test func `that stands for the bytes of letters is brought into their form`() {
        #expect("\u{10FEC3}\u{10FEBC}".canonicalPath == "ü")
    }

    @Test func `is shown with its bytes`() throws {
        let text = String(path: [0x4D, 0xFC, 0x73])
        #expect(text.escapingControls == #"M\xFCs"#)
        var json: [UInt8] = []
        json.appendJSONString(text)
        #expect(String(decoding: json, as: UTF8.self) == #""M\udbff\udefcs""#)
        let decoded = try JSONDecoder().decode(String.self, from: Data(json))
        #expect(decoded == text)
    }

    @Test func `is not chosen by a server`() {
        #expect(FileName.safe("M\u{10FEFC}sik") == "M_sik")
    }

    @Test func `is part of a URL as its bytes`() {
        #expect(PercentEncoding.encodePathBytes("http://h/M\u{10FEFC}\u{FC}") == "http://h/M%FC\u{FC}")
        #expect(PercentEncoding.encodeComponent("M\u{10FEFC}") == "M%FC")
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a/b", "/a", true), ("/ab", "/a", false), ("/x", "/", true),
        ("/a/\u{301}b", "/a", true),
        // The same letters in another form are another folder.
        ("/caf\u{E9}/x", "/cafe\u{301}", false),
    ])
    func `is compared by its bytes`(path: String, folder: String, isIn: Bool) {
        #expect(path.isPath(in: folder) == isIn)
        #expect((PathKey(path) == PathKey(folder)) == Array(path.utf8).elementsEqual(folder.utf8))
    }

    @Test func `has its parts between slashes, whatever follows them`() {
        #expect("/a/\u{301}b/../c".pathParts == ["a", "\u{301}b", "..", "c"])
        #expect("/\u{301}b".isAbsolutePath)
    }
}
