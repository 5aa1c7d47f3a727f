package import FerryCore

/// What one request finds at its path.
package struct OriginResource: Sendable {
    /// 1 January 2024.
    package static let lastModifiedSeconds: Int64 = 1_704_067_200

    package var body: SeededBody
    package var etag: String?
    package var lastModified: String? = HTTPDate.string(lastModifiedSeconds)
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
            lastModified = HTTPDate.string(exchange.now - age)
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

/// Writes dates in the fixed form of RFC 9110 §5.6.7.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The date that many seconds after 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func string(_ seconds: Int64) -> String {
        let days = Int(seconds / 86_400)
        let time = Int(seconds % 86_400)
        let (year, month, day) = civil(days)
        return "\(weekdays[days % 7]), \(padded(day)) \(months[month - 1]) \(year) "
            + "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The civil date of a day after 1970. Years begin in March here, which puts the leap day last.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
