import Synchronization

/// Bounds the bytes of all connections that their clients have not taken. Those that take nothing lose their connections.
final class OutboundBudget: Sendable {
    /// Which connections lose what they have, so that others have room.
    struct Ledger: Sendable {
        private struct Account: Sendable {
            var bytes: Int
            /// When its client has last taken something, or was first given something to take.
            var since: ContinuousClock.Instant
        }

        private var accounts: [Int: Account] = [:]
        private(set) var total = 0
        private let most: Int

        init(most: Int) { self.most = most }

        /// Notes bytes that are to be sent; returns the connections that are closed for it.
        ///
        /// The connection that has taken nothing for the longest time goes first, the one that writes last: one answer
        /// alone may be larger than all that is allowed.
        mutating func add(_ bytes: Int, to connection: Int, at now: ContinuousClock.Instant) -> [Int] {
            accounts[connection, default: Account(bytes: 0, since: now)].bytes += bytes
            total += bytes
            guard total > most else { return [] }
            var closed: [Int] = []
            let others = accounts.filter { $0.key != connection && $0.value.bytes > 0 }
            for (other, _) in others.sorted(by: { ($0.value.since, $0.key) < ($1.value.since, $1.key) }) {
                guard total > most else { break }
                leave(other)
                closed.append(other)
            }
            return closed
        }

        /// Notes bytes that a client has taken.
        mutating func take(_ bytes: Int, of connection: Int, at now: ContinuousClock.Instant) {
            guard let account = accounts[connection] else { return }
            total -= min(bytes, account.bytes)
            accounts[connection] = Account(bytes: account.bytes - min(bytes, account.bytes), since: now)
            if accounts[connection]?.bytes == 0 { accounts[connection] = nil }
        }

        mutating func leave(_ connection: Int) {
            total -= accounts.removeValue(forKey: connection)?.bytes ?? 0
        }
    }

    private struct State {
        var ledger: Ledger
        var closings: [Int: @Sendable () -> Void] = [:]
        var last = 0
    }

    private let state: Mutex<State>

    init(most: Int) { state = Mutex(State(ledger: Ledger(most: most))) }

    /// Bytes that clients have not taken.
    var total: Int { state.withLock { $0.ledger.total } }

    /// A number for a connection, which is closed by a closure.
    func enter(_ close: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.closings[state.last] = close
            return state.last
        }
    }

    func add(_ bytes: Int, to connection: Int) {
        let closings = state.withLock { state in
            state.ledger.add(bytes, to: connection, at: .now).compactMap { state.closings.removeValue(forKey: $0) }
        }
        for close in closings { close() }
    }

    func take(_ bytes: Int, of connection: Int) {
        state.withLock { $0.ledger.take(bytes, of: connection, at: .now) }
    }

    func leave(_ connection: Int) {
        state.withLock { state in
            state.ledger.leave(connection)
            state.closings[connection] = nil
        }
    }
}
