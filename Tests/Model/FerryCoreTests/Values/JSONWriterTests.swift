import FerryCore
import Foundation
import Testing

@Suite struct `A JSON writer` {
    private let writer = JSONWriter(date: .number { Int64($0.timeIntervalSince1970 * 1000) })

    private struct Nested: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var numbers: [Double]
            var flags: [String: Bool]
        }
        var text: String
        var inner: Inner?
        var list: [Inner]
        var bytes: Data
        var url: URL
        var large: UInt64
        var empty: [Int]
        var none: Int?
        var pairs: ByteRangeSet
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try writer.bytes(value), as: UTF8.self)
    }

    @Test(
        arguments: [
            "", "plain", "\"quoted\" \\ and / slashes", "line\nfeed\ttab\u{0}\u{1F}\u{7F}", "ä € 😀 \u{2028}", "a\r\nb",
        ])
    func `writes every text so that it is read as it was`(text: String) throws {
        let written = try writer.bytes([text])
        #expect(try JSONDecoder().decode([String].self, from: Data(written)) == [text])
        #expect(!written.contains { $0 < 0x20 })
    }

    @Test func `writes nested values, and ends all of them`() throws {
        let inner = Nested.Inner(numbers: [0, 1.5, -2e300, 1e-7], flags: ["a": true])
        var pairs = ByteRangeSet(0..<5)
        pairs.insert(7..<9)
        let value = Nested(
            text: "x", inner: inner, list: [inner, Nested.Inner(numbers: [], flags: [:])], bytes: Data([1, 2, 255]),
            url: try #require(URL(string: "https://example.com/a?b=c")), large: .max, empty: [], none: nil,
            pairs: pairs)
        let written = Data(try writer.bytes(value))
        #expect(try JSONDecoder().decode(Nested.self, from: written) == value)
    }

    @Test func `writes forms that an encoder of Foundation writes`() throws {
        #expect(try text([1, -5] as [Int]) == "[1,-5]")
        #expect(try text(["b": [true]]) == #"{"b":[true]}"#)
        #expect(try text([Date(timeIntervalSince1970: 1.5)]) == "[1500]")
        #expect(try text([1.0, 0.25]) == "[1,0.25]")
        #expect(try text([nil, "a"] as [String?]) == #"[null,"a"]"#)
        #expect(try text(TransferID(rawValue: 1)) == #""0000000000000001""#)
    }

    /// Nested objects and arrays with the same keys inside and outside.
    private struct Unsorted: Codable {
        var b = ["z": 1, "a": 2, "ä": 3, "m": 4]
        var c = [Inner(), Inner()]
        var a = Inner()
        var B = "\u{1}\n\t\r\u{8}\u{C}\u{7F}\"\\/"
        var d: [String: Int] = [:]

        struct Inner: Codable {
            var b = 1.5
            var a = ["b": [true], "a": []]
        }
    }

    @Test func `puts keys in order where that is wanted, as an encoder of Foundation does`() throws {
        let sorting = JSONWriter(date: .text { "\($0.timeIntervalSince1970)" }, sortsKeys: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try Data(sorting.bytes(Unsorted())) == encoder.encode(Unsorted()))
        #expect(try sorting.bytes([Date(timeIntervalSince1970: 1.5)]) == Array(#"["1.5"]"#.utf8))
    }

    @Test(arguments: [Double.nan, .infinity])
    func `refuses numbers that JSON has no form of`(number: Double) {
        #expect(throws: EncodingError.self) { try writer.bytes([number]) }
    }

    @Test func `writes a request so that it is read as it was`() throws {
        var request = TransferRequest(url: "https://example.com/ä\"", folder: "/home/u")
        request.headers = [HeaderField(name: "A", value: "b\"c")]
        request.response.checksums = [try Checksum(parsing: "md5:00112233445566778899aabbccddeeff")]
        request.tags = ["one", "two"]
        request.body = .bytes(Data([0, 1, 2]))
        request.timing.notBefore = Date(timeIntervalSince1970: 1_700_000_000.125)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        #expect(try decoder.decode(TransferRequest.self, from: Data(writer.bytes(request))) == request)
    }
}
