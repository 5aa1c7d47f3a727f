// Ferry: FerryCore
// What the user wants of a transfer.

/// What the user wants of a transfer; persisted, while the state is computed.
package enum TransferIntent: String, Codable, Sendable {
    case run, suspend, cancel
}
