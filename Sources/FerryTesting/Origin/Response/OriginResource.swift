package import FerryCore
package import Foundation

/// What one request finds at its path.
package struct OriginResource: Sendable {
    /// 1 January 2024.
    package static let lastModifiedSeconds: Int64 = 1_704_067_200

    package var body: SeededBody
    package var etag: String?
    package var lastModified: String? = HTTPDate.format(Date(timeIntervalSince1970: Double(lastModifiedSeconds)))
    package var contentType: String? = "application/octet-stream"
    package var acceptRanges: String? = "bytes"
    package var answersRanges = true
    package var isGenerated = false

    package init(_ body: SeededBody) {
        self.body = body
        etag = Self.etag(of: body)
    }

    /// The strong ETag that the origin gives a body.
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
            lastModified = HTTPDate.format(Date(timeIntervalSince1970: Double(exchange.now - age)))
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

    /// The fields that describe the resource.
    package var fields: [HeaderField] {
        let fields = [
            ("Last-Modified", lastModified), ("ETag", etag), ("Accept-Ranges", acceptRanges),
            ("Content-Type", contentType),
        ]
        return fields.compactMap { name, value in value.map { HeaderField(name: name, value: $0) } }
    }
}

extension HTTPDate {
    /// Writes the form that RFC 9110 §5.6.7 prefers, with fractions of a second cut off.
    package static func format(_ date: Date) -> String {
        // Years 0 to 9999 are all that the form can hold.
        let seconds = Int(min(max(date.timeIntervalSince1970.rounded(.down), -62_167_219_200), 253_402_300_799))
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = seconds - days * 86_400
        let (year, month, day) = GregorianDay.date(days)
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][((days % 7) + 11) % 7]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(padded(day, 2)) \(months[month - 1]) \(padded(year, 4)) \(clock) GMT"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
