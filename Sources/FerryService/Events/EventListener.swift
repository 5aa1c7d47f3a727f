import FerryCore

/// One listener: what it wants, and what it is still to be told. Owned by the hub.
struct EventListener {
    let subscription: EventSubscription
    /// Whether it wants some kinds of durable events in short.
    let isBrief: Bool
    private var queue = EventQueue()
    private var waiting: CheckedContinuation<Void, Never>?
    /// Transfers of the subscription that have not been told to have ended.
    private(set) var unfinished: Set<TransferID>
    /// Whether the transfers that had ended before the listener came have been looked up.
    var knowsEnded = false

    init(_ subscription: EventSubscription, isBrief: Bool = false, lastNumber: Int64) {
        self.subscription = subscription
        self.isBrief = isBrief
        unfinished = subscription.ids ?? []
        // A number that has not been given yet is of a journal that is gone.
        queue.append(EventQueue.Range(after: min(subscription.after ?? lastNumber, lastNumber), through: lastNumber))
    }

    /// Whether nothing waits to be told.
    var isEmpty: Bool { queue.isEmpty }

    // MARK: What comes

    /// Takes an event up if the listener wants it.
    mutating func offer(_ event: TransferEvent) {
        guard wants(event) else { return }
        if isBrief, event.kind.isBrief, let number = event.number {
            queue.append([event.id], event.kind, through: number)
        } else {
            queue.append(event)
        }
        wake()
    }

    /// Takes events up that the listener wants: in short, or to be read whole in the journal.
    mutating func offer(_ run: EventRun) {
        guard wants(run) else { return }
        if isBrief, run.kind.isBrief {
            queue.append(run.ids, run.kind, through: run.last)
        } else {
            queue.append(EventQueue.Range(after: run.first - 1, through: run.last))
        }
        wake()
    }

    /// Notes that durable events after a number, up to another, are to be read in the journal.
    mutating func skip(after number: Int64, through last: Int64) {
        queue.append(EventQueue.Range(after: number, through: last))
        wake()
    }

    /// Puts a page of the journal in the place of the range that it was read for.
    mutating func fill(_ range: EventQueue.Range, with page: EventPage) { queue.fill(range, with: page) }

    // MARK: What is told

    /// Takes the next signal out, or says what is to be read before it; nil if nothing waits.
    mutating func next() -> EventQueue.Item? {
        let item = queue.next()
        guard case .signal(.event(var event))? = item else { return item }
        if subscription.endsWithTransfers { note(event) }
        guard subscription.omitsSuccesses, event.kind == .succeeded else { return item }
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

    mutating func wake() {
        waiting?.resume()
        waiting = nil
    }

    func leave() { waiting?.resume() }

    // MARK: What it wants

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
