import Foundation

/// Chooses the names of downloaded files.
enum FileNaming {
    /// Maximum length of a name in bytes on common file systems.
    private static let longest = 255

    /// Returns the default name of a URL's file: the URL's MD5 and its extension.
    static func defaultName(for url: String) -> String { defaultName(for: url, URL(string: url)?.pathExtension) }

    /// Returns the default name of a URL's file.
    static func defaultName(for url: URL) -> String { defaultName(for: url.absoluteString, url.pathExtension) }

    private static func defaultName(for url: String, _ pathExtension: String?) -> String {
        let name = FileCode.hex(of: Data(url.utf8), .md5)
        let pathExtension = pathExtension ?? ""
        return pathExtension.isEmpty ? name : shortened(cleaned(name + "." + pathExtension))
    }

    /// Sanitizes a given name so that it is valid on every file system and stays in its folder. Falls back to the
    /// default name.
    static func sanitized(_ name: String, url: String) -> String { sanitized(name) ?? defaultName(for: url) }

    /// Sanitizes a given name so that it is valid on every file system and stays in its folder. Nil if nothing is left.
    static func sanitized(_ name: String) -> String? {
        // By scalars: a combining mark after a dot makes it another character.
        let name = String(cleaned(name).unicodeScalars.drop { $0 == "." })
        return name.isEmpty ? nil : shortened(name)
    }

    private static func cleaned(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isBad = scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
            result.append(isBad ? "_" : scalar)
        }
        return String(result)
    }

    /// Shortens a name to the limit of file systems and keeps its extension.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let pathExtension = (name as NSString).pathExtension
        let ending = pathExtension.isEmpty ? "" : "." + pathExtension
        let stem = prefix(
            of: String(name.unicodeScalars.dropLast(ending.unicodeScalars.count)), longest - ending.utf8.count)
        return stem.isEmpty ? prefix(of: name, longest) : stem + ending
    }

    /// Returns the longest prefix of a text with at most this many bytes.
    private static func prefix(of text: String, _ bytes: Int) -> String {
        var text = text
        while text.utf8.count > max(0, bytes) { text.removeLast() }
        return text
    }
}
