import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import NIOCore
import Testing

@Suite struct `Content decoder` {
    private static let text = String(
        repeating: "All these moments will be lost in time, like tears in rain. ", count: 40)
    private static let zlib =
        "eNrty9EJgDAMBNBVbgBxh45S4cBg0kITcH312xXu98Fr7qiTScQMjkrc9tJB+MyCDZQFN7hdRLGv/Gx1Gzuarq6urq6urq7u7z4tdkxm"
    private static let raw =
        "7cvRCYAwDATQVW4AcYeOUuHAYNJCE3B99dsV7vfBa+6ok0nEDI5K3PbSQfjMgg2UBTe4XUSxr/xsdRs7mq6urq6urq6u7u8+"
    private static let gzip =
        "H4sIAAAAAAACA+3L0QmAMAwE0FVuAHGHjlLhwGDSQhNwffXbFe73wWvuqJNJxAyOStz20kH4zIINlAU3uF1Esa/8bHUbO5qurq6urq6uru7vPoD51mhgCQAA"

    private static func bytes(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }

    /// A gzip member of less than 300 bytes that holds 256 KiB of zeros.
    private static var dense: [UInt8] {
        let head = bytes("H4sIAAAAAAACA+3BMQEAAADCoPVP7W0HoA==")
        return head + [UInt8](repeating: 0, count: 254) + bytes("3gAi6g7iAAAEAA==")
    }

    /// Decodes a body that arrives in parts of a given size.
    private func decode(
        _ body: [UInt8], _ coding: ContentDecoder.Coding, partSize: Int
    ) throws(ServiceError) -> [UInt8] {
        let decoder = try ContentDecoder(coding)
        var result: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            decoder.feed(ByteBuffer(bytes: rest.prefix(partSize)))
            rest = rest.dropFirst(partSize)
            while let piece = try decoder.next() {
                #expect(piece.readableBytes <= ContentDecoder.pieceSize)
                result += piece.readableBytesView
            }
        }
        try decoder.finish()
        #expect(decoder.received == Int64(body.count))
        #expect(decoder.decoded == Int64(result.count))
        return result
    }

    private func failure(_ body: [UInt8], _ coding: ContentDecoder.Coding) -> ServiceError? {
        do throws(ServiceError) {
            _ = try decode(body, coding, partSize: 1000)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [(Self.gzip, ContentDecoder.Coding.gzip), (Self.zlib, .deflate), (Self.raw, .deflate)],
        [1, 7, 100_000])
    func `17 gzip and both kinds of deflate are taken off in parts of any size`(
        sample: (String, ContentDecoder.Coding), partSize: Int
    ) throws {
        let decoded = try decode(Self.bytes(sample.0), sample.1, partSize: partSize)
        #expect(String(decoding: decoded, as: UTF8.self) == Self.text)
    }

    @Test(arguments: [50, 70_000]) func `17 a long body comes out in small pieces`(partSize: Int) throws {
        let body = SeededBody(seed: 5, size: 200_000).bytes
        #expect(try decode(StoredGzip.encode(body), .gzip, partSize: partSize) == body)
    }

    @Test func `17 members follow one another, and padding is dropped`() throws {
        let member = Self.bytes(Self.gzip)
        let decoded = try decode(member + member + [0, 0, 0, 0], .gzip, partSize: 3)
        #expect(String(decoding: decoded, as: UTF8.self) == Self.text + Self.text)
    }

    @Test func `17 an empty body is empty`() throws {
        #expect(try decode([], .gzip, partSize: 1) == [])
        #expect(try decode([], .deflate, partSize: 1) == [])
    }

    @Test func `17 a body that ends inside of its coding is broken`() {
        let whole = Self.bytes(Self.gzip)
        for length in [1, 10, 30, whole.count - 1] {
            #expect(failure(Array(whole.prefix(length)), .gzip)?.code == .badResponse)
        }
        #expect(failure([0x78], .deflate)?.code == .badResponse)
    }

    @Test func `17 a body that does not have its coding is broken`() {
        let text = Array("<html>not compressed at all</html>".utf8)
        #expect(failure(text, .gzip)?.details.urlError == -1015)
        #expect(failure(text, .deflate)?.code == .badResponse)
        var wrong = Self.bytes(Self.gzip)
        wrong[wrong.count - 6] ^= 1
        #expect(failure(wrong, .gzip)?.code == .badResponse)
    }

    @Test func `I8 a bomb stops at its ratio`() throws {
        let free = Array(repeatElement(Self.dense, count: 4).joined())
        #expect(try decode(free, .gzip, partSize: 100) == [UInt8](repeating: 0, count: 1 << 20))
        let bomb = Array(repeatElement(Self.dense, count: 64).joined())
        let decoder = try ContentDecoder(.gzip)
        decoder.feed(ByteBuffer(bytes: bomb))
        #expect(throws: ServiceError.self) { while try decoder.next() != nil {} }
        #expect(decoder.decoded <= 1 << 20 + 200 * Int64(bomb.count) + Int64(ContentDecoder.pieceSize))
    }

    @Test(
        arguments: [
            ("identity", nil), ("", nil), ("gzip", .gzip), ("X-GZIP", .gzip), ("deflate", .deflate),
            ("identity, gzip", .gzip),
        ] as [(String, ContentDecoder.Coding?)])
    func `17 one coding is understood`(field: String, coding: ContentDecoder.Coding?) throws {
        #expect(try ContentDecoder.coding(of: head(field)) == coding)
    }

    @Test(arguments: ["gzip, gzip", "br", Array(repeating: "gzip", count: 1000).joined(separator: ",")])
    func `I8 several codings and unknown ones are refused`(field: String) {
        #expect(throws: ServiceError.self) { try ContentDecoder.coding(of: head(field)) }
    }

    private func head(_ coding: String) -> ResponseHead {
        ResponseHead(
            status: 200, fields: [HeaderField(name: "Content-Encoding", value: coding)], url: "http://h/",
            origin: Origin(scheme: "http", host: "h", port: 80))
    }
}
