import FerryCore
import Foundation

/// The user's usual download folders: the desktop's (xdg-user-dirs), and `Downloads` in the home folder.
enum DownloadFolders {
    /// Returns absolute paths, the default one first.
    ///
    /// - Parameter read: Returns the text of a file, or `nil` if there is none.
    static func usual(
        environment: [String: String], home: String,
        read: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
    ) -> [String] {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        let settings = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        let own = home == "/" ? "/Downloads" : home + "/Downloads"
        let named = read(settings + "/user-dirs.dirs").flatMap { folder(in: $0, home: home) }
        guard let named, named != own, named != home, AllowedFolders.isPlain(named) else { return [own] }
        return [named, own]
    }

    /// Returns the value of `XDG_DOWNLOAD_DIR`, which begins with `$HOME/` or is an absolute path.
    private static func folder(in text: String, home: String) -> String? {
        var found: String?
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("XDG_DOWNLOAD_DIR=\"") else { continue }
            let value = line.dropFirst("XDG_DOWNLOAD_DIR=\"".count).prefix { $0 != "\"" }
            if value.hasPrefix("$HOME") {
                found = home + value.dropFirst("$HOME".count)
            } else if value.hasPrefix("/") {
                found = String(value)
            }
        }
        while let path = found, path.count > 1, path.hasSuffix("/") { found = String(path.dropLast()) }
        return found
    }
}
