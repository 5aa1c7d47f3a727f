import FerryCore
import FerryFoundation

/// The first line of a small file that names something, such as a store or a worker.
enum FirstLine {
    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``ServiceError`` with code `destination_unwritable` if the file cannot be read or is empty: another name
    ///   must not take the place of one that is only out of sight.
    static func read(_ path: String) throws(ServiceError) -> String? {
        func unusable(_ why: String) -> ServiceError {
            ServiceError(.destinationUnwritable, "“\(path.escapingControls)” cannot be used: \(why).")
        }
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else {
            if errno == ENOENT { return nil }
            throw unusable(unsafe String(cString: strerror(errno)))
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw unusable("it cannot be read") }
        let line = text.prefix { !$0.isNewline }
        guard !line.isEmpty else { throw unusable("it is empty") }
        return String(line)
    }
}
