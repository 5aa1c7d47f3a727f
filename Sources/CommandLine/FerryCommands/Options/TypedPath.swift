import ArgumentParser
import FerryCore

/// Makes typed paths absolute, since the daemon has another current folder.
struct TypedPath {
    /// Absolute path of the current folder.
    var currentFolder: String
    /// Absolute path of the user's home, for `~`. Nil if the environment does not name one.
    var home: String?
    /// Resolves the links of an existing folder, or returns nil. Called only before `..` is removed from a path.
    var resolvingLinks: (String) -> String?

    func folder(_ typed: String) -> String {
        var typed = typed
        // Shells do not expand it in quotes, or after `-d` without a space.
        if let home, typed == "~" || typed.hasPrefix("~/") { typed = home + typed.dropFirst() }
        var path = typed.hasPrefix("/") ? "" : currentFolder
        while path.hasSuffix("/") { path.removeLast() }
        for part in typed.split(separator: "/") where part != "." {
            guard part == ".." else {
                path += "/" + part
                continue
            }
            // The parent of a link's target is not the parent of the link.
            let physical = resolvingLinks(path.isEmpty ? "/" : path) ?? path
            path = physical.lastIndex(of: "/").map { String(physical[..<$0]) } ?? ""
        }
        return path.isEmpty ? "/" : path
    }

    /// The folder and name of `-o`. A relative path starts at the folder of `-d`.
    ///
    /// - Throws: `ValidationError` for a path that names no file.
    func file(_ typed: String, in base: String) throws -> (folder: String, name: String) {
        let parts = typed.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else {
            throw ValidationError(
                "“\(typed.escapingControls)” names no file; -o takes a name or a path that ends with one.")
        }
        let above = String(typed.dropLast(name.count))
        if above.isEmpty { return (base, String(name)) }
        let start = TypedPath(currentFolder: base, home: home, resolvingLinks: resolvingLinks)
        return (start.folder(above), String(name))
    }
}
