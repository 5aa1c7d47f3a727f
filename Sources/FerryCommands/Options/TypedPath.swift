import ArgumentParser
import FerryCore

/// Makes the paths that a user types absolute: the daemon has a current folder of its own.
struct TypedPath {
    /// Absolute path of the folder that relative paths start from.
    var currentFolder: String
    /// Absolute path of the user's own folder, which `~` stands for; nil where the environment names none.
    var home: String?
    /// The path of an existing folder without links, or nil; asked only before `..` is taken off a path.
    var resolvingLinks: (String) -> String?

    func folder(_ typed: String) -> String {
        var typed = typed
        // A shell leaves it where it is quoted, or follows `-d` without a blank.
        if let home, typed == "~" || typed.hasPrefix("~/") { typed = home + typed.dropFirst() }
        var path = typed.hasPrefix("/") ? "" : currentFolder
        while path.hasSuffix("/") { path.removeLast() }
        for part in typed.split(separator: "/") where part != "." {
            guard part == ".." else {
                path += "/" + part
                continue
            }
            // The folder above a link's target is not the folder that the link is in.
            let physical = resolvingLinks(path.isEmpty ? "/" : path) ?? path
            path = physical.lastIndex(of: "/").map { String(physical[..<$0]) } ?? ""
        }
        return path.isEmpty ? "/" : path
    }

    /// The folder and the name that `-o` means; a relative one starts at the folder of `-d`.
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
