import FerryCore

/// The notifications of one connection as JSON, in the order of Ferry's events.
///
/// Reads events as fast as it is read itself, so that a client that does not read costs no memory here.
package struct RPCNotifications: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    let events: AsyncThrowingStream<TransferEvent, any Error>
    let gid: @Sendable (TransferEvent) async -> String

    package struct Iterator: AsyncIteratorProtocol {
        var events: AsyncThrowingStream<TransferEvent, any Error>.Iterator
        let gid: @Sendable (TransferEvent) async -> String
        private var rule = NotificationRule()
        private var ready: [RPCNotification] = []

        init(
            events: AsyncThrowingStream<TransferEvent, any Error>.Iterator,
            gid: @escaping @Sendable (TransferEvent) async -> String
        ) {
            self.events = events
            self.gid = gid
        }

        package mutating func next() async throws -> [UInt8]? {
            while ready.isEmpty {
                guard let event = try await events.next() else { return nil }
                let kinds = rule.kinds(of: event)
                guard !kinds.isEmpty else { continue }
                let gid = await gid(event)
                ready = kinds.map { RPCNotification(kind: $0, gid: gid) }
            }
            return ready.removeFirst().json
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), gid: gid) }
}
