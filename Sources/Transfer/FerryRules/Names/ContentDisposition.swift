import FerryCore

/// The name in a `Content-Disposition` field (RFC 6266, RFC 8187). The name is not sanitized here.
package struct ContentDisposition: Hashable, Sendable {
    /// The decoded `filename*`, otherwise `filename`, or nil.
    package let fileName: String?

    package init(parsing value: String) {
        var extended: String?
        var plain: String?
        for (name, value) in Self.parameters(of: value) {
            // The first of duplicate parameters counts, even if malformed.
            switch name {
            case "filename*": extended = extended ?? value
            case "filename": plain = plain ?? value
            default: break
            }
        }
        let bytes = extended.flatMap(Self.decodeExtended)
        // Some servers label ISO-8859-1 bytes as UTF-8. They are read as ISO-8859-1, like the raw bytes of a head.
        let candidates = [bytes.flatMap(\.text), plain, bytes?.latin]
        fileName = candidates.lazy.compactMap { $0 }.first { !$0.isEmpty }
    }

    /// The `name=value` parameters, with names in lower case and values without quotes and escapes.
    private static func parameters(of field: String) -> [(name: String, value: String)] {
        var result: [(String, String)] = []
        var rest = field.unicodeScalars[...]
        while !rest.isEmpty {
            let name = String(rest.prefix { $0 != "=" && $0 != ";" })
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else {
                rest = rest.dropFirst()  // The disposition type, or a part without a value.
                continue
            }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            var value = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    if scalar != "\\" {
                        value.append(scalar)
                    } else if let escaped = rest.popFirst() {
                        value.append(escaped)
                    }
                }
                rest = rest.drop { $0 != ";" }
            } else {
                value.append(contentsOf: rest.prefix { $0 != ";" })
                rest = rest.drop { $0 != ";" }
                value = String(value).trimmingFieldSpace.unicodeScalars
            }
            result.append((name.trimmingFieldSpace.lowercased(), String(value)))
            rest = rest.dropFirst()
        }
        return result
    }

    /// Parses `charset'language'percent-encoded`. Returns nil for an unsupported charset or an invalid encoding.
    private static func decodeExtended(_ value: String) -> ExtendedValue? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].allSatisfy({ $0 < 0x80 }),
            let bytes = PercentEncoding.decode(String(Substring(parts[2])))
        else { return nil }
        switch String(Substring(parts[0])).lowercased() {
        // `utf8` is not a registered name but is unambiguous.
        case "utf-8", "utf8": return ExtendedValue(bytes: bytes, text: String(validating: bytes, as: UTF8.self))
        case "iso-8859-1": return ExtendedValue(bytes: bytes, text: ExtendedValue(bytes: bytes).latin)
        default: return nil
        }
    }
}

/// The decoded bytes of an extended value (RFC 8187 §3.2).
private struct ExtendedValue {
    let bytes: [UInt8]
    /// The text in the named charset, or nil if malformed.
    var text: String?

    /// The bytes as ISO-8859-1, whose bytes are the first 256 scalars.
    var latin: String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return String(scalars)
    }
}
