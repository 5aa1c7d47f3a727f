package import FerryCore

/// One parameter of a query.
package struct QueryItem: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package static func encode(_ items: [QueryItem]) -> String {
        items.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// Parses the part of a URL after the question mark. A plus sign is not a space.
    /// - Throws: ``ServiceError`` with code `invalid_request` for a broken escape.
    package static func decode(_ query: String) throws(ServiceError) -> [QueryItem] {
        var items: [QueryItem] = []
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0]),
                let value = PercentEncoding.decode(halves.count > 1 ? halves[1] : "")
            else {
                throw ServiceError(.invalidRequest, "The query has a broken percent-escape.")
            }
            items.append(QueryItem(name, value))
        }
        return items
    }
}

extension QueryItem {
    /// Returns the error for an unknown parameter.
    package func unknown(among known: [String]) -> ServiceError {
        ServiceError(
            .invalidRequest,
            "The query has no parameter “\(name.escapingControls)”; there is \(known.joined(separator: ", ")).")
    }

    /// Returns the error for an invalid value.
    package func invalid(_ wanted: String) -> ServiceError {
        ServiceError(.invalidRequest, "\(name) is \(wanted), not “\(value.escapingControls)”.")
    }

    package func bool() throws(ServiceError) -> Bool {
        switch value {
        case "true": true
        case "false": false
        default: throw invalid("true or false")
        }
    }

    package func id() throws(ServiceError) -> TransferID {
        guard let id = TransferID(value) else { throw invalid("a transfer id of 16 hexadecimal digits") }
        return id
    }
}

/// Percent-encodes everything but the unreserved characters (RFC 3986 §2.3).
package enum PercentEncoding {
    package static func encode(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// Decodes percent-encoded text. Returns `nil` for a broken escape or invalid UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
