import Synchronization

/// Limits the unsent bytes of all connections together. Connections of clients that stop reading are closed.
final class OutboundBudget: Sendable {
    /// The unsent bytes by connection. Decides which connections are closed to make room.
    struct Ledger: Sendable {
        private struct Account: Sendable {
            var bytes: Int
            /// When the client last read something, or when bytes were first sent to it.
            var since: ContinuousClock.Instant
        }

        private var accounts: [Int: Account] = [:]
        private(set) var total = 0
        private let most: Int

        init(most: Int) { self.most = most }

        /// Adds bytes to be sent, and returns the connections to close for it.
        ///
        /// Connections that have read nothing for the longest time are closed first. The writing connection is never
        /// closed: a single response may exceed the limit.
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

        /// Subtracts bytes that a client has read.
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

    /// Total number of unsent bytes.
    var total: Int { state.withLock { $0.ledger.total } }

    /// Registers a connection with the closure that closes it.
    ///
    /// - Returns: The connection's number.
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
