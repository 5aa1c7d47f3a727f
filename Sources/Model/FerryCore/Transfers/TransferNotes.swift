/// Notes about a transfer that the service writes for its user.
package enum TransferNotes {
    /// A note that parts of a request were not taken along to the origin of a new URL.
    package static func removed(_ names: [String]) -> String {
        newServer + names.map(\.escapingControls).joined(separator: ", ")
    }

    /// Whether a note says that parts of a request were removed.
    package static func isAboutRemovedParts(_ note: String) -> Bool { note.hasPrefix(newServer) }

    /// The file is a web page, although another file was requested.
    package static let webPage = "the server sent a web page"
    /// Each interruption costs all bytes.
    package static let noValidator =
        "the server does not identify the version of the file, so it restarts from byte 0 after each interruption; "
        + "an expected digest (--checksum) would let it continue"

    private static let newServer = "not sent to the new URL's server: "
}

extension Transfer {
    /// Whether the file is a web page, although another file was requested.
    package var isWebPage: Bool { notes.contains(TransferNotes.webPage) }
}
