// Ferry: FerryCore
// Paths that a caller gives for a file.

/// Judges a path or name that a caller gives for the file of a transfer.
package enum CallerPath {
    /// Checks that the path can name a file; it is otherwise taken as it is.
    ///
    /// - Throws: ``TransferError`` with code `invalid_request` for a NUL, an empty last part, `.` and `..`.
    package static func check(_ path: String) throws(TransferError) {
        let shown = path.escapingControls
        guard !path.utf8.contains(0) else {
            throw TransferError(.invalidRequest, "The name “\(shown)” has a NUL character.")
        }
        let last = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        guard !last.isEmpty else {
            throw TransferError(.invalidRequest, "“\(shown)” names no file; its last part is empty.")
        }
        guard !last.elementsEqual(".".utf8), !last.elementsEqual("..".utf8) else {
            throw TransferError(.invalidRequest, "“\(shown)” names a folder, not a file.")
        }
    }
}
