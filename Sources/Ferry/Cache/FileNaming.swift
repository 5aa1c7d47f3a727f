import Foundation

/// What the files of downloads are called.
enum FileNaming {
    /// Bytes of a name at most, as file systems have it.
    private static let longest = 255

    /// The name of a URL's file where the app gives none: the URL's MD5 and its extension.
    static func defaultName(for url: String) -> String { defaultName(for: url, URL(string: url)?.pathExtension) }

    /// The name of a URL's file where the app gives none.
    static func defaultName(for url: URL) -> String { defaultName(for: url.absoluteString, url.pathExtension) }

    private static func defaultName(for url: String, _ pathExtension: String?) -> String {
        let name = FileCode.hex(of: Data(url.utf8), .md5)
        let pathExtension = pathExtension ?? ""
        return pathExtension.isEmpty ? name : shortened(cleaned(name + "." + pathExtension))
    }

    /// A given name as one that every file system has and that stays in its folder; else the default name.
    static func sanitized(_ name: String, url: String) -> String { sanitized(name) ?? defaultName(for: url) }

    /// A given name as one that every file system has and that stays in its folder; nil if nothing is left.
    static func sanitized(_ name: String) -> String? {
        // A dot is one also where a mark that follows makes another character of it.
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

    /// The name within the limit of file systems; its extension stays.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let pathExtension = (name as NSString).pathExtension
        let ending = pathExtension.isEmpty ? "" : "." + pathExtension
        let stem = prefix(
            of: String(name.unicodeScalars.dropLast(ending.unicodeScalars.count)), longest - ending.utf8.count)
        return stem.isEmpty ? prefix(of: name, longest) : stem + ending
    }

    /// The first characters of a text that have this many bytes at most.
    private static func prefix(of text: String, _ bytes: Int) -> String {
        var text = text
        while text.utf8.count > max(0, bytes) { text.removeLast() }
        return text
    }
}
