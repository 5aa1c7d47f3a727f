// Ferry: FerryCore
// Text as JSON writes it.

extension String {
    /// Adds a text in quotes, as JSON writes it.
    package mutating func appendQuoted(_ text: String) {
        append("\"")
        if text.isPlainInJSON {
            append(text)
        } else {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": append("\\\"")
                case "\\": append("\\\\")
                case "\u{0}"..<" ":
                    let digits = String(scalar.value, radix: 16)
                    append("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
                default: unicodeScalars.append(scalar)
                }
            }
        }
        append("\"")
    }
}

extension StringProtocol {
    /// Whether the text stands in JSON as it is.
    package var isPlainInJSON: Bool {
        utf8.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
