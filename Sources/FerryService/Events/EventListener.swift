// Ferry: FerryService
// The bounded queue of one listener.

import DequeModule
import FerryCore

/// The bounded queue of one listener. Owned by the hub.
struct EventListener {
    /// Signals that wait for a listener before it counts as behind.
    static let capacity = 1024
    /// Transfers that one batch names at most.
    static let largestBatch = 4096
    /// Transfers that waiting batches name before the listener counts as behind.
    static let idCapacity = 65_536

    let subscription: EventSubscription
    /// Whether it wants some kinds of durable events in short.
    let isBrief: Bool
    private var queue: Deque<SessionSignal> = []
    /// Transfers that the batches in the queue name.
    private var waitingIDs = 0
    /// Number of the last durable event that was put into the queue or handed out.
    private(set) var cursor: Int64
    /// Whether durable events must be read from the journal before new ones are taken.
    private(set) var isBehind: Bool
    private var waiting: CheckedContinuation<Void, Never>?
    /// Transfers of the subscription that have not been told to have ended.
    private(set) var unfinished: Set<TransferID>
    /// Whether the transfers that had ended before the listener came have been looked up.
    var knowsEnded = false

    init(_ subscription: EventSubscription, isBrief: Bool = false, lastNumber: Int64) {
        self.subscription = subscription
        self.isBrief = isBrief
        // A number that has not been given yet is of a journal that is gone.
        cursor = min(subscription.after ?? lastNumber, lastNumber)
        isBehind = cursor < lastNumber
        unfinished = subscription.ids ?? []
    }

    /// Puts an event into the queue if the listener wants it.
    mutating func offer(_ event: TransferEvent) {
        if isBehind { return }
        // The journal may have told it before everybody was.
        if let number = event.number, number <= cursor { return }
        guard wants(event) else {
            if let number = event.number { cursor = number }
            return
        }
        if isBrief, event.kind.isBrief, let number = event.number {
            return append([event.id], event.kind, through: number)
        }
        if event.kind == .progress, replaceSample(event) { return }
        guard queue.count < Self.capacity else { return fallBehind() }
        queue.append(.event(event))
        if let number = event.number { cursor = number }
        wake()
    }

    /// Puts events into the queue if the listener wants them in short; one that wants them whole reads them in the journal.
    mutating func offer(_ run: EventRun) {
        if isBehind || run.last <= cursor { return }
        guard wants(run) else {
            cursor = run.last
            return
        }
        guard isBrief, run.kind.isBrief else { return fallBehind() }
        append(run.ids.dropFirst(Int(max(0, cursor + 1 - run.first))), run.kind, through: run.last)
    }

    /// Notes that durable events up to a number are to be read in the journal.
    mutating func skip(through number: Int64) {
        if cursor < number { fallBehind() }
    }

    mutating func take() -> SessionSignal? {
        guard let signal = queue.popFirst() else { return nil }
        switch signal {
        case .event(var event):
            if subscription.endsWithTransfers { note(event) }
            if subscription.omitsSuccesses, event.kind == .succeeded {
                event.transfer = nil
                return .event(event)
            }
        case .batch(let batch): waitingIDs -= batch.ids.count
        case .attached, .idle: break
        }
        return signal
    }

    private mutating func note(_ event: TransferEvent) {
        switch event.kind {
        case .succeeded, .failed, .canceled, .removed: noteEnded(event.id)
        case .resumed: if subscription.ids?.contains(event.id) == true { unfinished.insert(event.id) }
        case .submitted, .suspended, .running, .waiting, .progress, .unknown: break
        }
    }

    mutating func noteEnded(_ id: TransferID) { unfinished.remove(id) }

    /// Takes in a page of the journal, read up to a number; what came meanwhile is read as the next page.
    mutating func caughtUp(with page: EventPage, through target: Int64, latest: Int64) {
        queue.append(contentsOf: page.signals)
        for case .batch(let batch) in page.signals { waitingIDs += batch.ids.count }
        cursor = page.isLast ? max(cursor, target, page.through ?? 0) : page.through ?? cursor
        isBehind = cursor < latest
    }

    mutating func park(_ continuation: CheckedContinuation<Void, Never>) {
        guard queue.isEmpty, !isBehind else { return continuation.resume() }
        waiting?.resume()
        waiting = continuation
    }

    mutating func wake() {
        waiting?.resume()
        waiting = nil
    }

    func leave() { waiting?.resume() }

    // MARK: -

    private mutating func replaceSample(_ event: TransferEvent) -> Bool {
        let place = queue.lastIndex { signal in
            if case .event(let other) = signal { other.id == event.id } else { false }
        }
        guard let place, case .event(let last) = queue[place], last.kind == .progress else { return false }
        queue[place] = .event(event)
        return true
    }

    /// Adds to the batch that waits last if that is of the same kind, else a new one.
    private mutating func append(_ ids: some Collection<TransferID>, _ kind: TransferEvent.Kind, through number: Int64)
    {
        guard queue.count < Self.capacity, waitingIDs < Self.idCapacity else { return fallBehind() }
        if case .batch(var batch) = queue.last, batch.kind == kind, batch.ids.count + ids.count <= Self.largestBatch {
            // The queue's own copy goes first, so that the ids are not copied each time.
            queue.removeLast()
            batch.ids.append(contentsOf: ids)
            batch.through = number
            queue.append(.batch(batch))
        } else {
            // Numbers of one run follow each other, so a part of it ends as many before the last as there are left.
            var left = ids[...]
            while !left.isEmpty {
                let part = left.prefix(Self.largestBatch)
                left = left.dropFirst(Self.largestBatch)
                queue.append(.batch(EventBatch(kind: kind, through: number - Int64(left.count), ids: Array(part))))
            }
        }
        waitingIDs += ids.count
        cursor = number
        wake()
    }

    /// What is in the queue comes first, then the journal tells the rest; what is not durable is out of date by then.
    private mutating func fallBehind() {
        isBehind = true
        wake()
    }

    private func wants(_ event: TransferEvent) -> Bool {
        if let session = subscription.session, session != event.session { return false }
        if let ids = subscription.ids, !ids.contains(event.id) { return false }
        if subscription.endsAlone, !TransferEvent.Kind.ends.contains(event.kind) { return false }
        if event.kind == .progress { return subscription.progressInterval != nil }
        return true
    }

    private func wants(_ run: EventRun) -> Bool {
        if let session = subscription.session, session != run.session { return false }
        if subscription.endsAlone, !TransferEvent.Kind.ends.contains(run.kind) { return false }
        if let ids = subscription.ids { return run.ids.contains { ids.contains($0) } }
        return true
    }
}
