// Ferry: FerryCore
// Something that happened to a transfer.

package import Foundation

/// Something that happened to a transfer.
package struct TransferEvent: Hashable, Codable, Sendable {
    /// Rises by one with every durable event; nil for what nobody needs to be told twice.
    package var number: Int64?
    package var kind: Kind
    package var at: Date
    package var id: TransferID
    package var session: SessionID
    /// The transfer when the event was sent, or when it ended; nil once it was removed.
    package var transfer: Transfer?

    package init(number: Int64?, kind: Kind, at: Date, id: TransferID, session: SessionID, transfer: Transfer?) {
        self.number = number
        self.kind = kind
        self.at = at
        self.id = id
        self.session = session
        self.transfer = transfer
    }

    package enum Kind: String, CaseIterable, Codable, Sendable {
        // Durable: numbered, delivered again until acknowledged.
        case submitted, suspended, resumed, succeeded, failed, canceled, removed
        // Live: sent to who listens.
        case running, waiting, progress
        /// A word of a newer peer.
        case unknown

        package init(from decoder: any Decoder) throws {
            self = Kind(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }

        /// Those after which nothing more comes of a transfer.
        package static let ends: [Kind] = [.succeeded, .failed, .canceled, .removed]

        /// Whether a client that knows its transfers needs no more than the kind.
        package var isBrief: Bool {
            switch self {
            case .submitted, .suspended, .resumed, .canceled, .removed: true
            case .succeeded, .failed, .running, .waiting, .progress, .unknown: false
            }
        }
    }
}
