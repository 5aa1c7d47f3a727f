package import FerryCore
import Foundation

/// The resource at the path of a request.
package struct OriginResource: Sendable {
    /// 1 January 2024.
    package static let lastModifiedSeconds: Int64 = 1_704_067_200

    package var body: SeededBody
    package var etag: String?
    package var lastModified: String? = HTTPDate.text(of: Date(timeIntervalSince1970: Double(lastModifiedSeconds)))
    package var contentType: String? = "application/octet-stream"
    package var acceptRanges: String? = "bytes"
    package var answersRanges = true
    package var isGenerated = false

    package init(_ body: SeededBody) {
        self.body = body
        etag = Self.etag(of: body)
    }

    /// Returns the strong ETag of a body.
    package static func etag(of body: SeededBody) -> String { "\"\(String(body.seed, radix: 16))-\(body.size)\"" }

    package mutating func apply(_ mode: OriginMode, in exchange: OriginExchange) {
        switch mode {
        case .empty:
            body = SeededBody(seed: body.seed, size: 0)
        case .version(let other, let otherTag):
            body = other
            etag = otherTag ?? Self.etag(of: other)
        case .silentVersion(let other):
            body = other
        case .etag(let value):
            etag = value
        case .etagPerRequest:
            etag = "\"request-\(exchange.number)\""
        case .lastModified(let value):
            lastModified = value
        case .dateOnly(let age):
            etag = nil
            lastModified = HTTPDate.text(of: Date(timeIntervalSince1970: Double(exchange.now - age)))
        case .contentType(let value):
            contentType = value
        case .generated:
            body = SeededBody(seed: body.seed &+ UInt64(exchange.number) << 32, size: body.size)
            (etag, lastModified, acceptRanges) = (nil, nil, nil)
            (answersRanges, isGenerated) = (false, true)
        case .noRanges:
            (answersRanges, acceptRanges) = (false, nil)
        case .acceptRangesNone:
            (answersRanges, acceptRanges) = (false, "none")
        default:
            break
        }
    }

    /// The header fields that describe the resource.
    package var fields: [HeaderField] {
        let fields = [
            ("Last-Modified", lastModified), ("ETag", etag), ("Accept-Ranges", acceptRanges),
            ("Content-Type", contentType),
        ]
        return fields.compactMap { name, value in value.map { HeaderField(name: name, value: $0) } }
    }
}
