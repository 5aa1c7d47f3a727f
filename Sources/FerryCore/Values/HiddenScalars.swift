/// Characters that are not shown, or change how text is shown.
extension Unicode.Scalar {
    /// Whether this controls how text is shown, or is not shown itself: two texts that differ by it look alike, or one
    /// looks like another.
    ///
    /// Controls, bidirectional controls, separators of lines and paragraphs, tags, and all that Unicode calls
    /// default-ignorable or of category format, but for signs that are drawn around digits and hieroglyphs.
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

    /// Whether this is drawn as a picture, or makes one of others. Digits and signs of ASCII are not.
    fileprivate var isPicture: Bool { value > 0xFF && properties.isEmoji }

    /// Whether this is of a script that writes words with joiners: from Arabic to Sinhala, Myanmar, Khmer, Mongolian.
    fileprivate var usesJoiners: Bool {
        switch value {
        case 0x0600...0x0DFF, 0x1000...0x109F, 0x1780...0x18AF: !isHidden
        default: false
        }
    }
}

extension String {
    /// This text with something else in the place of each scalar that is hidden.
    ///
    /// A scalar that has a part in what is drawn stays: a joiner between two pictures or two letters of a script that writes
    /// with it, and the mark after a picture that gives it its colours.
    package func replacingHidden(with replacement: (Unicode.Scalar) -> String) -> String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if !scalar.isHidden || Self.isDrawn(scalar, after: result.last, before: rest.first) {
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

/// Text from outside, made safe to show.
extension String {
    /// This text with control characters, and all others that hide or turn text, written as `\u{…}`.
    ///
    /// Whatever came from a server or a caller goes through this before a person or a log sees it, so that it can neither
    /// move a terminal's cursor, nor add a line, nor look like another text.
    package var escapingControls: String {
        replacingHidden { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// Whether a control character (C0, DEL or C1) stands anywhere in this text, as in no URL and no cookie.
    var containsControl: Bool {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return false }
        return unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Whether the text holds control characters, separators of lines or bidirectional overrides, which no name of a session
    /// and no tag may have.
    package var hasControls: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
}
