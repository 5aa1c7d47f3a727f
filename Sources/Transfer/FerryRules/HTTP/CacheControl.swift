package import FerryCore
import FerryFoundation

/// The directives of a message's `Cache-Control` fields (RFC 9111 §5.2).
package struct CacheControl: Hashable, Sendable {
    /// By name in lower case. The first of two equal directives counts (RFC 9111 §4.2.1).
    private var directives: [String: String] = [:]

    /// Upper bound of a directive's seconds (RFC 9111 §1.2.2).
    private static let longest = Double(1 << 31)

    /// - Parameter fields: The fields of a message.
    package init(_ fields: [HeaderField]) {
        for field in fields where field.isNamed("Cache-Control") {
            for part in FieldList.elements(field.value) {
                let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = String(halves[0]).trimmingFieldSpace.lowercased()
                guard !name.isEmpty, directives[name] == nil else { continue }
                directives[name] = halves.count > 1 ? Self.unquoted(String(halves[1]).trimmingFieldSpace) : ""
            }
        }
    }

    package func has(_ name: String) -> Bool { directives[name] != nil }

    /// The seconds of a directive, or nil without it. An invalid value counts as 0, so that the response is stale.
    package func seconds(_ name: String) -> Double? {
        guard let value = directives[name] else { return nil }
        guard !value.isEmpty, value.utf8.allSatisfy(\.isASCIIDigit) else { return 0 }
        return min(Double(value) ?? Self.longest, Self.longest)
    }

    private static func unquoted(_ text: String) -> String {
        text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
    }
}

/// Parses field values that are lists (RFC 9110 §5.6.1).
enum FieldList {
    /// The non-empty elements between commas outside quoted strings.
    static func elements(_ value: String) -> [String] {
        var elements: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                elements.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            elements[elements.count - 1].append(byte)
        }
        return elements.map { String(decoding: $0, as: UTF8.self).trimmingFieldSpace }.filter { !$0.isEmpty }
    }
}
