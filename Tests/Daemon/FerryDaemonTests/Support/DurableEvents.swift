import FerryClient
import FerryCore
import FerryTesting

/// The durable events of a transfer, as the daemon redelivers them.
extension DaemonFixture {
    /// Returns the kinds of a transfer's durable events from the first on, in order.
    func durableEvents(_ id: String) async throws -> [TransferEvent.Kind] {
        try await withClient { client in
            let last = try await client.status().lastEvent
            var subscription = EventSubscription()
            subscription.after = 0
            var kinds: [TransferEvent.Kind] = []
            for try await event in try await client.events(subscription) {
                guard let number = event.number else { continue }
                if event.id.description == id { kinds.append(event.kind) }
                if number >= last { break }
            }
            return kinds
        }
    }
}
