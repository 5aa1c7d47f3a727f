// Ferry: FerryCore
// From any text to a name that is safe as one file in one folder.

import Foundation

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

    /// As ``safe(_:)`` for a single name that a program gives: slashes become `_` instead of cutting the name.
    package static func safe(single text: String) -> String {
        safe(mapping(text) { isSeparator($0) ? "_" : $0 })
    }

    /// As ``safe(_:)``; nil where nothing is left of the text.
    static func reduced(_ text: String) -> String? {
        // On Unicode scalars throughout: a combining mark after a slash or dot makes another Character of it and would hide it.
        let scalars = text.unicodeScalars
        let start = scalars.lastIndex(where: isSeparator).map(scalars.index(after:)) ?? scalars.startIndex
        let last = String(scalars[start...])
        // ASCII is composed as it is.
        let composed = last.utf8.allSatisfy { $0 < 0x80 } ? last : last.precomposedStringWithCanonicalMapping
        let name = trimmed(visible(mapping(composed) { isForbidden($0) ? "_" : $0 }))
        guard !name.isEmpty else { return nil }
        // Cutting a character of hundreds of bytes can leave a joiner, or a device's name, which is then far below the limit.
        return prefixed(trimmed(visible(shortened(prefixed(name), to: maximumLength))))
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
        let stem = trimmed(String(Substring(name.utf8.prefix { $0 != UInt8(ascii: ".") }))).uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        guard stem.utf8.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT"), let digit = stem.utf8.last else {
            return false
        }
        return (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
    }
}
