/// Notes about a transfer that the service writes for its user.
package enum TransferNotes {
    /// A note that parts of a request were not taken along to the origin of a new URL.
    package static func removed(_ names: [String]) -> String {
        newServer + names.map(\.escapingControls).joined(separator: ", ")
    }

    /// Whether a note says that parts of a request were removed.
    package static func isAboutRemovedParts(_ note: String) -> Bool { note.hasPrefix(newServer) }

    private static let newServer = "not sent to the new URL's server: "
}
