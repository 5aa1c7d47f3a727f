// Ferry: FerryAPI
// Bodies whose keys are all known.

package import FerryCore

/// A body that names all keys that it may have, so that a misspelt one is refused and not ignored.
package protocol StrictBody: Decodable {
    static var keys: Set<String> { get }
}

extension TransferRequest: StrictBody {}

extension TransferBatch.Columns: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension TransferBatch.Start: StrictBody {
    package static let keys: Set = ["id", "headers", "name"]
}

extension TransferChange: StrictBody {}
extension ServiceSettingsChange: StrictBody {}

extension SessionSettings: StrictBody {
    package static let keys: Set = [
        "active_transfers", "host_connections", "rate_limit", "network", "idle_timeout", "in_order",
    ]
}
