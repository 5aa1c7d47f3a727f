import Foundation

/// Transfers that wait for no moment of their own, and wait alike; the journal finds them side by side.
package struct StoredLine: Hashable, Sendable {
    package let session: SessionID
    package let priority: Priority
    package let origin: String
    /// What the requests themselves say.
    package let network: NetworkPolicy
    /// The same as one word, empty for the usual policy.
    package let line: String

    /// - Parameter record: one of them; nil if it waits for a moment of its own.
    package init?(_ record: TransferRecord, origin: String) {
        guard let line = Self.word(of: record) else { return nil }
        session = record.request.session
        priority = record.request.priority
        self.origin = origin
        network = record.request.network
        self.line = line
    }

    package init(session: SessionID, priority: Priority, origin: String, network: NetworkPolicy, line: String) {
        self.session = session
        self.priority = priority
        self.origin = origin
        self.network = network
        self.line = line
    }

    /// The word of a transfer; nil if it waits for a moment.
    package static func word(of record: TransferRecord) -> String? {
        record.core.waitsForMoment ? nil : word(of: record.request.network)
    }

    /// The word of a network policy, empty if it is the usual one.
    package static func word(of network: NetworkPolicy) -> String? {
        if network == NetworkPolicy() { return "" }
        // The same policy has the same text, whatever wrote it.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(network)).map { String(decoding: $0, as: UTF8.self) }
    }
}
