package import FerryCore
import FerryRules

/// Names of spool files. Each contains its transfer's id.
package enum SpoolNames {
    package enum Kind: Equatable, Sendable {
        /// A partial file that was handed over.
        case released
        /// A result or a partial file of a transfer.
        case ofTransfer
    }

    /// Returns the name of a finished file that its client has not collected yet.
    package static func result(_ id: TransferID) -> String { "\(id)\(resultSuffix)" }

    private static let resultSuffix = ".download"
    private static let idLength = 16

    /// Returns the transfer of a spool file, or `nil` for any other name.
    package static func parse(_ name: String) -> (kind: Kind, transfer: TransferID)? {
        if name.hasPrefix(".ferry-"), name.hasSuffix(".part") {
            return TransferID(String(name.dropFirst(7).prefix(idLength))).map { (.ofTransfer, $0) }
        }
        if let id = ReleasedName.transfer(in: name) { return (.released, id) }
        guard let id = TransferID(String(name.prefix(idLength))), name.dropFirst(idLength) == resultSuffix else {
            return nil
        }
        return (.ofTransfer, id)
    }
}
