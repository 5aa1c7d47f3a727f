import FerryFoundation

/// Names of files.
package enum FileName {
    /// The longest name in bytes that Linux file systems take.
    package static let maximumLength = 255
    /// The name where nothing better is known.
    package static let fallback = "download"

    /// The name that a text from a server or a URL is reduced to: one component, visible, harmless to a terminal or a shell.
    ///
    /// Twice is the same as once.
    package static func safe(_ text: String) -> String {
        reduced(text) ?? fallback
    }

    /// As ``safe(_:)``; nil where nothing is left of the text.
    static func reduced(_ text: String) -> String? {
        if isPlain(text) { return text }
        // On Unicode scalars throughout: a combining mark after a slash or dot makes another Character of it and would hide it.
        let scalars = text.unicodeScalars
        let start = scalars.lastIndex(where: isSeparator).map(scalars.index(after:)) ?? scalars.startIndex
        let last = String(scalars[start...])
        // ASCII is composed as it is.
        let composed = last.utf8.allSatisfy { $0 < 0x80 } ? last : last.composed
        let name = trimmed(visible(mapping(composed) { isForbidden($0) ? "_" : $0 }))
        guard !name.isEmpty else { return nil }
        // Cutting a character of hundreds of bytes can leave a joiner, or a device's name, which is then far below the limit.
        return prefixed(trimmed(visible(shortened(prefixed(name), to: maximumLength))))
    }

    /// Whether nothing is taken off a text or changed in it: it has only letters, digits, `_`, `-` and `.` of ASCII.
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

    /// What some file system or shell refuses, and what stands for bytes that are no text.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FFFD}" || ":*?\"<>|".unicodeScalars.contains(scalar)
    }

    /// With `_` for each hidden scalar, which would make a name look like another one.
    private static func visible(_ text: String) -> String { text.replacingHidden { _ in "_" } }

    /// Without dots and spaces at both ends: a leading dot hides a file, and Windows drops trailing ones.
    private static func trimmed(_ text: String) -> String {
        let isEdge = { (byte: UInt8) in byte == UInt8(ascii: ".") || byte == UInt8(ascii: " ") }
        let head = text.utf8.drop(while: isEdge)
        guard let last = head.lastIndex(where: { !isEdge($0) }) else { return "" }
        return String(Substring(head[...last]))
    }

    /// With `_` before what a program would take for an option, a shell for a home folder, or Windows for a device.
    private static func prefixed(_ name: String) -> String {
        let isSpecial =
            name.utf8.first == UInt8(ascii: "-") || name.utf8.first == UInt8(ascii: "~") || isDeviceName(name)
        return isSpecial ? "_" + name : name
    }

    /// Whether Windows takes the name for a device, whatever its extension.
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

/// Which URL a name is taken from, where a URL decides it.
package enum NameSource: String, Codable, Sendable {
    /// The URL that the user gave: a redirect does not choose the name.
    case original
    /// The URL that answered.
    case final
}

extension FileName {
    /// The name of a transfer's file: the caller's as it is, else the first safe name that the response's
    /// `Content-Disposition` or the URL gives, else `download`.
    package static func choose(
        callerName: String?, contentDisposition: String?, originalURL: HTTPURL, finalURL: HTTPURL,
        nameFrom: NameSource = .original
    ) -> String {
        if let callerName { return callerName }
        if let field = contentDisposition, let name = ContentDisposition(parsing: field).fileName.flatMap(reduced) {
            return name
        }
        let url = nameFrom == .original ? originalURL : finalURL
        let segment = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
        return safe(segment.map { PercentEncoding.decodeLeniently(String(Substring($0))) } ?? "")
    }

    /// Whether a desktop would run or follow a file of this name instead of showing it.
    package static func runsOnDesktop(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".desktop", ".url", ".lnk", ".scf"].contains { name.hasSuffix($0) }
    }
}

/// Names cut and numbered without losing their extension.
extension FileName {
    /// The name of the n-th file of one name: `name-n.ext`, within 255 bytes; for 0 the name itself.
    package static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        let (stem, suffix) = divided(name)
        return cut(stem, to: maximumLength - suffix.utf8.count - "-\(number)".utf8.count) + "-\(number)" + suffix
    }

    /// The name with its stem shortened so that it has at most `limit` bytes.
    static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, suffix) = divided(name)
        return cut(stem, to: limit - suffix.utf8.count) + suffix
    }

    /// Stem and extension with its dot. `.tar.*` is one extension; longer than 16 bytes is none.
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

    /// The longest beginning within `limit` bytes that ends between characters, or between scalars where the very first
    /// character is longer than that.
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
