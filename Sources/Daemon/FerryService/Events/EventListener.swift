import FerryCore
import FerryQueue
import Synchronization

/// A listener's subscription and its pending events. Owned by the hub.
struct EventListener {
    let subscription: EventSubscription
    /// Whether the listener accepts short forms of some durable events.
    let isBrief: Bool
    /// Whether the listener takes groups of events and waits for no particular one, so that a delay costs it nothing.
    let isPaced: Bool
    private var queue = EventQueue()
    /// Number of the last durable event that was queued, or not wanted.
    private var last: Int64
    /// Position in the hub's backlog from which live events are missing, or `nil` while events are offered.
    private var missing: Int?
    private var waiting: CheckedContinuation<Void, Never>?
    /// Subscribed transfers for which no completion was delivered.
    private(set) var unfinished: Set<TransferID>
    /// Whether transfers that finished before the listener came have been looked up.
    var knowsEnded = false

    init(_ subscription: EventSubscription, isBrief: Bool = false, inGroups: Bool = false, lastNumber: Int64) {
        self.subscription = subscription
        self.isBrief = isBrief
        isPaced = inGroups && !subscription.endsAlone && !subscription.endsWithTransfers
        unfinished = subscription.ids ?? []
        last = lastNumber
        // A number beyond the latest one comes from a deleted journal.
        queue.append(EventQueue.Range(after: min(subscription.after ?? lastNumber, lastNumber), through: lastNumber))
    }

    /// Whether no event is pending.
    var isEmpty: Bool { queue.isEmpty && !isBehind }

    /// Number of pending items in memory.
    var count: Int { queue.count }

    // MARK: Falling behind

    /// Whether events are not offered: the backlog keeps the live ones, and the journal the others.
    var isBehind: Bool { missing != nil }

    /// Whether the listener falls behind with the next event.
    var isFull: Bool { queue.isFull }

    /// Whether the listener has taken all pending events and needs those of the backlog.
    var needsBacklog: Bool { queue.isEmpty && isBehind }

    /// - Parameter position: Position in the backlog of the next live event.
    mutating func fallBehind(at position: Int) { missing = position }

    /// Queues the missing events. Further ones are offered again.
    ///
    /// - Parameter number: Number of the last durable event.
    mutating func catchUp(with backlog: EventBacklog, through number: Int64) {
        guard let position = missing else { return }
        missing = nil
        for entry in backlog.entries(from: position) where wants(entry.event) {
            queue.append(EventQueue.Range(after: last, through: entry.after))
            last = max(last, entry.after)
            queue.append(entry.event)
        }
        skip(after: last, through: number)
    }

    // MARK: Adding

    /// Queues an event if the listener wants it.
    mutating func offer(_ event: TransferEvent) {
        if let number = event.number { last = max(last, number) }
        guard wants(event) else { return }
        if isBrief, event.kind.isBrief, let number = event.number {
            queue.append([event.id], event.kind, through: number)
        } else {
            queue.append(event)
        }
    }

    /// Queues the events that the listener wants: in short, or as a range to read from the journal.
    mutating func offer(_ run: EventRun) {
        last = max(last, run.last)
        guard wants(run) else { return }
        if isBrief, run.kind.isBrief {
            queue.append(run.ids, run.kind, through: run.last)
        } else {
            queue.append(EventQueue.Range(after: run.first - 1, through: run.last))
        }
    }

    /// Queues the durable events after `number` through `last` to be read from the journal.
    mutating func skip(after number: Int64, through last: Int64) {
        queue.append(EventQueue.Range(after: number, through: last))
        self.last = max(self.last, last)
    }

    /// Replaces a range with the journal page read for it.
    mutating func fill(_ range: EventQueue.Range, with page: EventPage) { queue.fill(range, with: page) }

    // MARK: Delivery

    /// Removes and returns the next signal, or returns the range to read before it. Returns `nil` if nothing is
    /// pending.
    mutating func next() -> EventQueue.Item? {
        let item = queue.next()
        guard case .signal(.event(var event))? = item else { return item }
        if subscription.endsWithTransfers { note(event) }
        guard subscription.omitsSuccesses, event.kind == .succeeded, event.transfer?.takenName == nil else {
            return item
        }
        event.transfer = nil
        return .signal(.event(event))
    }

    private mutating func note(_ event: TransferEvent) {
        switch event.kind {
        case .succeeded, .failed, .canceled, .removed: noteEnded(event.id)
        case .resumed: if subscription.ids?.contains(event.id) == true { unfinished.insert(event.id) }
        case .submitted, .suspended, .running, .waiting, .progress, .changed, .unknown: break
        }
    }

    mutating func noteEnded(_ id: TransferID) { unfinished.remove(id) }

    mutating func park(_ continuation: CheckedContinuation<Void, Never>) {
        guard queue.isEmpty else { return continuation.resume() }
        waiting?.resume()
        waiting = continuation
    }

    /// Whether the listener waits although events are pending.
    var isAsleep: Bool { waiting != nil && !queue.isEmpty }

    mutating func wake() {
        waiting?.resume()
        waiting = nil
    }

    func leave() { waiting?.resume() }

    // MARK: Filter

    private func wants(_ event: TransferEvent) -> Bool {
        if let session = subscription.session, session != event.session { return false }
        if let ids = subscription.ids, !ids.contains(event.id) { return false }
        if subscription.endsAlone, !TransferEvent.Kind.ends.contains(event.kind) { return false }
        if event.kind == .progress { return subscription.progressInterval != nil }
        if event.kind == .changed { return !subscription.omitsChanges }
        return true
    }

    private func wants(_ run: EventRun) -> Bool {
        if let session = subscription.session, session != run.session { return false }
        if subscription.endsAlone, !TransferEvent.Kind.ends.contains(run.kind) { return false }
        if let ids = subscription.ids { return run.ids.contains { ids.contains($0) } }
        return true
    }
}

/// Held by a listener's stream. Runs its closure once, on `end()` or when the stream is released.
final class StreamGuardian: Sendable {
    private let ended: @Sendable () -> Void
    private let hasEnded = Mutex(false)

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    deinit { end() }

    func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { ended() }
    }
}
