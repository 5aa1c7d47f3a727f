import FerryCore
import RawStructuredFieldValues
import SeedKit
import Testing

@testable import FerryRules

@Suite struct `Structured fields` {
    @Test func `have values without their parameters, and the last of one key counts`() {
        let members = StructuredField.dictionary("a=1;x=2, b, a=:AQ==:, c=(1 2), d=\"s\"")
        #expect(members.map(\.key) == ["a", "b", "d"])
        #expect(members.first?.value == .undecodedByteSequence("AQ=="))
        #expect(StructuredField.item("-12;a=b") == .integer(-12))
        #expect(StructuredField.item("?1") == .bool(true))
    }

    @Test(arguments: ["a=", "a=1,", "A=1", "a=1 b", "a=:AQ", "a=1;", "a=1234567890123456", "\u{0}", "ä=1", "a=(1"])
    func `that are malformed count as absent`(text: String) {
        #expect(StructuredField.dictionary(text).isEmpty)
    }

    /// Each key is compared with all before it, so a long field would hold up the event loop.
    @Test func `that are long count as absent`() {
        let text = (0..<20_000).map { "k\($0)" }.joined(separator: ",")
        #expect(StructuredField.dictionary(text).isEmpty)
        #expect(StructuredField.dictionary("a=\"\(String(repeating: "x", count: 4000))\"").count == 1)
        #expect(StructuredField.item("\"\(String(repeating: "x", count: 5000))\"") == nil)
    }

    @Test func `of hostile servers are read or ignored`() {
        var random = SplitMix(seed: 11)
        let parts = Array("abz09=:;,()?\"\\ .-*@%\t\u{7F}é".utf8)
        for seed in [
            "sha-256=:AQIDBA==:", "max-size=100, max-append-size=5;a", "@1700000000", "%\"a%c3%a9\"", "-1.5", "(a b);c",
        ] {
            for _ in 0..<2000 {
                var bytes = Array(seed.utf8)
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let place = Int.random(in: 0...bytes.count, using: &random)
                    let part = parts[Int.random(in: 0..<parts.count, using: &random)]
                    if place < bytes.count, Bool.random(using: &random) {
                        bytes[place] = part
                    } else {
                        bytes.insert(
                            contentsOf: Array(repeating: part, count: Int.random(in: 1...20, using: &random)), at: place
                        )
                    }
                }
                let text = String(decoding: bytes, as: UTF8.self)
                _ = StructuredField.dictionary(text)
                _ = StructuredField.item(text)
            }
        }
    }
}
