import FerryFoundation

/// JSON strings (RFC 8259 section 7). Characters are written as they are, unless they must be escaped or stand for the
/// bytes of a path that are no UTF-8.
extension [UInt8] {
    /// Appends a text as a JSON string.
    ///
    /// - Parameter escapesLines: Whether U+007F, U+2028 and U+2029 are escaped too, of which the last two end a line in
    ///   JavaScript.
    package mutating func appendJSONString(_ text: String, escapesLines: Bool = false) {
        append(UInt8(ascii: "\""))
        if !escapesLines, text.isPlainInJSON {
            append(contentsOf: text.utf8)
        } else if escapesLines || text.hasPathBytes {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\u{7F}" where escapesLines, "\u{2028}" where escapesLines, "\u{2029}" where escapesLines,
                    _ where scalar.pathByte != nil:
                    append(contentsOf: scalar.jsonEscape.utf8)
                default: for byte in String(scalar).utf8 { appendInJSON(byte) }
                }
            }
        } else {
            for byte in text.utf8 { appendInJSON(byte) }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a byte of a JSON string, escaped in its short form if it has one.
    private mutating func appendInJSON(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
        case 0x08: self += #"\b"#.utf8
        case 0x09: self += #"\t"#.utf8
        case 0x0A: self += #"\n"#.utf8
        case 0x0C: self += #"\f"#.utf8
        case 0x0D: self += #"\r"#.utf8
        case 0..<0x20: append(contentsOf: Unicode.Scalar(byte).jsonEscape.utf8)
        default: append(byte)
        }
    }
}

extension String {
    /// Appends a text as a JSON string.
    package mutating func appendQuoted(_ text: String) {
        if text.isPlainInJSON {
            self += "\""
            self += text
            self += "\""
        } else {
            var bytes: [UInt8] = []
            bytes.appendJSONString(text)
            self += String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension Unicode.Scalar {
    /// The escape `\uXXXX`, or two of them for a scalar outside the basic plane.
    package var jsonEscape: String {
        String(self).utf16.map { "\\u" + [UInt8($0 >> 8), UInt8($0 & 0xFF)].hexDigits }.joined()
    }
}

extension String {
    /// Whether the text needs no escaping.
    package var isPlainInJSON: Bool {
        let isPlain = unsafe utf8.withContiguousStorageIfAvailable { unsafe !$0.contains(where: \.isEscapedInJSON) }
        return isPlain ?? !utf8.contains(where: \.isEscapedInJSON)
    }
}

extension UInt8 {
    fileprivate var isEscapedInJSON: Bool {
        // 0xF4 begins the scalars that stand for bytes of paths.
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") || self == 0xF4
    }
}
