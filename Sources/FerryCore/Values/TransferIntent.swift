// Ferry: FerryCore
// What the user wants of a transfer.

/// What the user wants of a transfer; persisted, while the state is computed.
package enum TransferIntent: String, Codable, Sendable {
    case run, suspend, cancel
    /// It is to be forgotten with its partial file; one that is seen has been begun and is finished at a start.
    case remove
    /// As `remove`, and the file that it has put in its place goes too.
    case removeWithFile = "remove_with_file"

    /// Whether nothing of it is to be left.
    package var isRemoval: Bool { self == .remove || self == .removeWithFile }
}
