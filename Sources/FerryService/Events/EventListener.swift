// Ferry: FerryService
// The bounded queue of one listener.

import DequeModule
import FerryCore

/// The bounded queue of one listener. Owned by the hub.
struct EventListener {
    /// Events that wait for a listener before it counts as behind.
    static let capacity = 1024

    let subscription: EventSubscription
    private var queue: Deque<TransferEvent> = []
    /// Number of the last durable event that was put into the queue or handed out.
    private(set) var cursor: Int64
    /// Whether durable events must be read from the journal before new ones are taken.
    private(set) var isBehind: Bool
    private var waiting: CheckedContinuation<Void, Never>?
    /// Transfers of the subscription that have not been told to have ended.
    private(set) var unfinished: Set<TransferID>
    /// Whether the transfers that had ended before the listener came have been looked up.
    var knowsEnded = false

    init(_ subscription: EventSubscription, lastNumber: Int64) {
        self.subscription = subscription
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
        if event.kind == .progress, let last = queue.lastIndex(where: { $0.id == event.id }),
            queue[last].kind == .progress
        {
            queue[last] = event
            return
        }
        guard queue.count < Self.capacity else {
            // What is durable comes from the journal; the rest is out of date by then.
            if let first = queue.lazy.compactMap(\.number).first { cursor = first - 1 }
            queue.removeAll()
            isBehind = true
            return wake()
        }
        queue.append(event)
        if let number = event.number { cursor = number }
        wake()
    }

    mutating func take() -> TransferEvent? {
        guard let event = queue.popFirst() else { return nil }
        if subscription.endsWithTransfers { note(event) }
        return event
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
    mutating func caughtUp(with page: [TransferEvent], isWhole: Bool, through target: Int64, latest: Int64) {
        queue.append(contentsOf: page)
        cursor = isWhole ? max(cursor, target, page.last?.number ?? 0) : page.last?.number ?? cursor
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

    private func wants(_ event: TransferEvent) -> Bool {
        if let session = subscription.session, session != event.session { return false }
        if let ids = subscription.ids, !ids.contains(event.id) { return false }
        if event.kind == .progress { return subscription.progressInterval != nil }
        return true
    }
}
