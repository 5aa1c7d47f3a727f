import FerryCore
import Testing

@Suite struct `Hidden scalars` {
    private static let hidden: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFE00...0xFE0F,
        0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF9...0xFFFB, 0x1D173...0x1D17A, 0xE0000...0xE007F, 0xE0100...0xE01EF,
    ]

    /// A name or terminal line with one of these characters looks like another one.
    @Test(arguments: hidden) func `they do not stay in names, and reach no terminal`(range: ClosedRange<UInt32>) {
        for scalar in range.compactMap(Unicode.Scalar.init) {
            #expect(scalar.isHidden, "\(scalar.value)")
            let text = "a\(String(scalar))b.txt"
            #expect(FileName.safe(text) == "a_b.txt", "\(scalar.value)")
            #expect(text.escapingControls == "a\\u{\(String(scalar.value, radix: 16))}b.txt")
        }
    }

    @Test(arguments: [
        "plain name.txt", "Grüße.pdf", "日本語.zip", "שלום.txt", "می\u{200C}خواهم.pdf", "क्\u{200D}ष.txt",
        "\u{600}\u{661}.txt", "👨\u{200D}👩\u{200D}👧.png", "❤\u{FE0F}\u{200D}🔥.png", "👍🏽.png",
        "1\u{FE0F}\u{20E3}.txt",
    ])
    func `what has a part in what is drawn stays`(text: String) {
        #expect(FileName.safe(text).unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(text.escapingControls.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: [
        ("a\u{200D}b", "a_b"), ("a\u{200C}b", "a_b"), ("😀\u{200D}", "😀_"), ("😀\u{200D}b", "😀_b"),
        ("a\u{FE0F}\u{200D}😀", "a__😀"), ("1\u{FE0F}2", "1_2"), ("ع\u{200C}\u{61C}ع", "ع__ع"), ("ع\u{200C}a", "ع_a"),
        ("🏴\u{E0067}\u{E007F}", "🏴__"),
    ])
    func `a joiner without anything to join does not`(text: String, name: String) {
        #expect(FileName.safe(text) == name)
    }

    @Test func `sessions and tags take what they always took`() throws {
        for text in ["a\u{AD}b", "a\u{200D}b", "❤\u{FE0F}"] {
            #expect(try SessionID(text).name == text)
            var request = TransferRequest(url: "http://h/", folder: "/f")
            request.tags = [text]
            _ = try TransferAdmission.admit(request)
        }
        #expect(throws: ServiceError.self) { try SessionID("a\u{202E}b") }
        #expect(throws: ServiceError.self) { try SessionID("a\u{1B}b") }
    }
}
