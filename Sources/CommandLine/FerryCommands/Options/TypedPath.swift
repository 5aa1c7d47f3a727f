import ArgumentParser
import FerryCore
import FerryFoundation
import Glibc

/// Makes typed paths absolute, since the daemon has another current folder.
struct TypedPath {
    /// Absolute path of the current folder. Empty if it was removed.
    var currentFolder: String
    /// Absolute path of the user's home, for `~`. Nil if the environment does not name one.
    var home: String?
    /// Resolves the links of an existing folder, or returns nil. Called only before `..` is removed from a path.
    var resolvingLinks: (String) -> String?

    /// - Throws: `ValidationError` for a relative path if the current folder was removed.
    func folder(_ typed: String) throws -> String {
        var typed = typed
        // Shells do not expand it in quotes, or after `-d` without a space.
        if let home, typed == "~" || typed.hasPrefix("~/") { typed = home + typed.dropFirst() }
        var path = typed.isAbsolutePath ? "/" : currentFolder
        guard !path.isEmpty else {
            throw ValidationError("The current folder no longer exists; go to another one, or give an absolute path.")
        }
        for part in typed.pathParts where part != "." {
            // The parent of a link's target is not the parent of the link.
            path = part == ".." ? (resolvingLinks(path) ?? path).folderPart : path.appendingPathPart(part)
        }
        return path
    }

    /// The folder that a value of `-o` names, because it exists or because of a slash at its end.
    ///
    /// - Returns: Nil for the name of a file.
    func outputFolder(_ typed: String, in base: @autoclosure () throws -> String) throws -> String? {
        guard !typed.isEmpty else { return nil }
        let isAbsolute = typed.isAbsolutePath || home != nil && typed.hasPrefix("~")
        let start = TypedPath(
            currentFolder: isAbsolute ? "/" : try base(), home: home, resolvingLinks: resolvingLinks)
        let path = try start.folder(typed)
        var facts = stat()
        let isFolder = path.withPath { unsafe stat($0, &facts) } == 0 && facts.st_mode & S_IFMT == S_IFDIR
        return isFolder || typed.hasSuffix("/") ? path : nil
    }

    /// The folder and name of `-o`. A relative path starts at the folder of `-d`.
    ///
    /// - Throws: `ValidationError` for a path that names no file, or without its folder.
    func file(_ typed: String, in base: @autoclosure () throws -> String) throws -> (folder: String, name: String) {
        let name = typed.lastPathPart
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ValidationError(
                "“\(typed.escapingControls)” names no file; -o takes a name or a path that ends with one.")
        }
        let above = typed.folderPart
        if above.isEmpty { return (try base(), name) }
        let start = TypedPath(
            currentFolder: above.isAbsolutePath ? "/" : try base(), home: home, resolvingLinks: resolvingLinks)
        return (try start.folder(above), name)
    }
}
