import FerryCore

/// Callers that wait until attempts at some transfers, or operations on them, have ended. Owned by ``LiveQueue``.
struct Waiters: Sendable {
    private struct Waiter: Sendable {
        /// Nil until the caller waits.
        var continuation: CheckedContinuation<Void, Never>?
        /// Number of transfers that are still worked on.
        var left: Int
    }

    private var waiters: [Int: Waiter] = [:]
    /// The tickets of the waiters for each transfer.
    private var tickets: [TransferID: [Int]] = [:]
    private var lastTicket = 0

    /// Returns a ticket to wait with until all of these transfers are free, counted from now.
    mutating func enter(for ids: [TransferID]) -> Int {
        lastTicket += 1
        guard !ids.isEmpty else { return lastTicket }
        waiters[lastTicket] = Waiter(left: ids.count)
        for id in ids { tickets[id, default: []].append(lastTicket) }
        return lastTicket
    }

    /// Resumes a continuation once the transfers of its ticket are free.
    mutating func wait(_ ticket: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard waiters[ticket] != nil else { return continuation.resume() }
        waiters[ticket]?.continuation = continuation
    }

    /// Tells the waiters that new transfers are free.
    mutating func resume(in ids: ClosedRange<TransferID>) { resume(tickets.keys.filter(ids.contains)) }

    /// Tells the waiters that transfers are free.
    mutating func resume(_ ids: [TransferID]) {
        guard !tickets.isEmpty else { return }
        for ticket in ids.flatMap({ tickets.removeValue(forKey: $0) ?? [] }) {
            guard var waiter = waiters.removeValue(forKey: ticket) else { continue }
            waiter.left -= 1
            if waiter.left > 0 { waiters[ticket] = waiter } else { waiter.continuation?.resume() }
        }
    }
}
