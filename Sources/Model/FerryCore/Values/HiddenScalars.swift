import FerryFoundation

/// Invisible and text-changing characters.
extension Unicode.Scalar {
    /// Whether the scalar is invisible or changes how text is displayed, so that different texts look alike.
    ///
    /// Controls, bidirectional controls, line and paragraph separators, tags, and all default-ignorable and format
    /// characters, except signs drawn around digits and hieroglyphs.
    package var isHidden: Bool {
        switch value {
        case 0x20...0x7E: return false
        case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD, 0x13430...0x1343F: return false
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether the scalar is an emoji or combines emoji. False for ASCII digits and signs.
    fileprivate var isPicture: Bool { value > 0xFF && properties.isEmoji }

    /// Whether the scalar belongs to a script that uses joiners: Arabic to Sinhala, Myanmar, Khmer, Mongolian.
    fileprivate var usesJoiners: Bool {
        switch value {
        case 0x0600...0x0DFF, 0x1000...0x109F, 0x1780...0x18AF: !isHidden
        default: false
        }
    }
}

extension String {
    /// Replaces each hidden scalar.
    ///
    /// Scalars that contribute to the display stay: a joiner between two emoji or two letters of a script that uses
    /// joiners, and a variation selector after an emoji.
    package func replacingHidden(with replacement: (Unicode.Scalar) -> String) -> String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if (!scalar.isHidden && scalar.pathByte == nil)
                || Self.isDrawn(scalar, after: result.last, before: rest.first)
            {
                result.append(scalar)
            } else {
                result.append(contentsOf: replacement(scalar).unicodeScalars)
            }
        }
        return String(result)
    }

    private static func isDrawn(
        _ scalar: Unicode.Scalar, after last: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        guard let last else { return false }
        switch scalar {
        case "\u{200D}" where last.isPicture || last == "\u{FE0F}": return next?.isPicture == true
        case "\u{200C}", "\u{200D}": return last.usesJoiners && next?.usesJoiners == true
        case "\u{FE0F}": return last.isPicture || next == "\u{20E3}" && ("0"..."9").contains(last)
        default: return false
        }
    }
}

/// Displaying untrusted text.
extension String {
    /// The text with hidden and control characters written as `\u{…}`, and the bytes of a path that are no UTF-8 as `\xFC`.
    ///
    /// Applied to all text from servers and callers before display or logging, so that it can neither move a terminal's
    /// cursor, nor add a line, nor look like another text.
    package var escapingControls: String {
        replacingHidden { scalar in
            scalar.pathByte.map { "\\x\(String($0, radix: 16, uppercase: true))" }
                ?? "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    /// Whether the text contains a control character (C0, DEL or C1), which is invalid in URLs and cookies.
    package var containsControl: Bool {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return false }
        return unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Whether the text contains controls, line separators or bidirectional overrides, which are invalid in session
    /// names and tags.
    package var hasControls: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
}
