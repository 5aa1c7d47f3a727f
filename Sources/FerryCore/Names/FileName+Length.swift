// Ferry: FerryCore
// Names cut and numbered without losing their extension.

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
