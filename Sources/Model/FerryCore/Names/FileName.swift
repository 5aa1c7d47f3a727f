import FerryFoundation

/// Safe file names.
package enum FileName {
    /// Maximum length of a name in bytes on Linux file systems.
    package static let maximumLength = 255
    /// The name if nothing better is known.
    package static let fallback = "download"

    /// Sanitizes a name from a server or a URL: one path component, visible, harmless to terminals and shells.
    ///
    /// Idempotent.
    package static func safe(_ text: String) -> String {
        reduced(text) ?? fallback
    }

    /// Like ``safe(_:)``, but returns nil if nothing is left.
    package static func reduced(_ text: String) -> String? {
        if isPlain(text) { return text }
        // Unicode scalars throughout: a combining mark after a slash or dot joins it to another Character and would
        // hide it.
        let scalars = text.unicodeScalars
        let start = scalars.lastIndex(where: isSeparator).map(scalars.index(after:)) ?? scalars.startIndex
        let last = String(scalars[start...])
        // ASCII is already composed.
        let composed = last.utf8.allSatisfy { $0 < 0x80 } ? last : last.composed
        let name = trimmed(visible(mapping(composed) { isForbidden($0) ? "_" : $0 }))
        guard !name.isEmpty else { return nil }
        // Shortening a very long character can leave a joiner or a device name, so the steps are repeated.
        return prefixed(trimmed(visible(shortened(prefixed(name), to: maximumLength))))
    }

    /// Whether the name needs no change: only ASCII letters, digits, `_`, `-` and `.`.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8
        let dot = UInt8(ascii: ".")
        guard let first = bytes.first, first != dot, first != UInt8(ascii: "-"), bytes.last != dot,
            bytes.count <= maximumLength
        else { return false }
        return bytes.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                || byte == dot
        } && !isDeviceName(text)
    }

    // MARK: Steps

    private static func mapping(_ text: String, _ transform: (Unicode.Scalar) -> Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text.unicodeScalars.lazy.map(transform))
        return String(result)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

    /// Characters refused by some file system or shell, and the replacement character.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FFFD}" || scalar.pathByte != nil || ":*?\"<>|".unicodeScalars.contains(scalar)
    }

    /// Replaces each invisible scalar with `_`, since it would make two names look alike.
    private static func visible(_ text: String) -> String { text.replacingHidden { _ in "_" } }

    /// Trims dots and spaces: a leading dot hides a file, and Windows drops trailing ones.
    private static func trimmed(_ text: String) -> String {
        let isEdge = { (byte: UInt8) in byte == UInt8(ascii: ".") || byte == UInt8(ascii: " ") }
        let head = text.utf8.drop(while: isEdge)
        guard let last = head.lastIndex(where: { !isEdge($0) }) else { return "" }
        return String(Substring(head[...last]))
    }

    /// Prepends `_` to names that look like an option, a home folder or a Windows device.
    private static func prefixed(_ name: String) -> String {
        let isSpecial =
            name.utf8.first == UInt8(ascii: "-") || name.utf8.first == UInt8(ascii: "~") || isDeviceName(name)
        return isSpecial ? "_" + name : name
    }

    /// Whether Windows treats the name as a device, whatever its extension.
    private static func isDeviceName(_ name: String) -> Bool {
        let beginning = name.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard beginning.count >= 3 else { return false }
        let stem = trimmed(String(Substring(beginning))).uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        guard stem.utf8.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT"), let digit = stem.utf8.last else {
            return false
        }
        return (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
    }
}

/// Selects the URL for a name derived from a URL.
package enum NameSource: String, Codable, Sendable {
    /// The submitted URL: a redirect does not choose the name.
    case original
    /// The URL of the final response.
    case final
}

extension FileName {
    /// Whether a desktop would run or follow a file with this name instead of opening it.
    package static func runsOnDesktop(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".desktop", ".url", ".lnk", ".scf"].contains { name.hasSuffix($0) }
    }
}

/// Shortened and numbered names that keep their extension.
extension FileName {
    /// The n-th variant of a name: `name-n.ext`, within 255 bytes. 0 returns the name itself.
    package static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        let (stem, suffix) = divided(name)
        return cut(stem, to: maximumLength - suffix.utf8.count - "-\(number)".utf8.count) + "-\(number)" + suffix
    }

    /// Shortens the stem so that the name has at most `limit` bytes.
    static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, suffix) = divided(name)
        return cut(stem, to: limit - suffix.utf8.count) + suffix
    }

    /// Splits a name into stem and extension with its dot. `.tar.*` is one extension. More than 16 bytes are not an
    /// extension.
    static func divided(_ name: String) -> (stem: String, suffix: String) {
        let dot = UInt8(ascii: ".")
        guard var start = name.utf8.lastIndex(of: dot) else { return (name, "") }
        let head = name.utf8[..<start]
        if let inner = head.lastIndex(of: dot), String(Substring(head[inner...])).lowercased() == ".tar" {
            start = inner
        }
        let suffix = String(name[start...])
        guard start > name.startIndex, (2...16).contains(suffix.utf8.count) else { return (name, "") }
        return (String(name[..<start]), suffix)
    }

    /// The longest prefix within `limit` bytes that ends between characters, or between scalars if the first character
    /// alone is longer.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var result = ""
        var size = 0
        for character in text {
            size += character.utf8.count
            guard size <= limit else { break }
            result.append(character)
        }
        guard result.isEmpty else { return result }
        var scalars = String.UnicodeScalarView()
        size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
