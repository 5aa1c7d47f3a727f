import FerryCore

/// Recent live events for the listeners that have fallen behind, shared by all of them.
///
/// A listener with a full queue (``EventQueue/isFull``) is offered no further events. Once it has taken the pending
/// ones, it gets the live events from here, each in its place among the durable ones, which it reads from the journal.
/// So hundreds of listeners that do not read cost as little time and memory per event as one.
///
/// When more than ``capacity`` events are kept, samples followed by later events of the same transfer are dropped, then
/// other such events, then the oldest.
struct EventBacklog: Sendable {
    /// Maximum number of events.
    static let capacity = 1024

    struct Entry: Sendable {
        /// Increases by one with every event.
        let position: Int
        /// Number of the last durable event before this one.
        let after: Int64
        let event: TransferEvent
    }

    private var entries: [Entry] = []
    /// Position of the next event.
    private(set) var end = 0

    var count: Int { entries.count }

    mutating func append(_ event: TransferEvent, after number: Int64) {
        entries.append(Entry(position: end, after: number, event: event))
        end += 1
        if entries.count > Self.capacity { thinOut() }
    }

    /// Returns the events from a position on.
    func entries(from position: Int) -> ArraySlice<Entry> {
        entries[(entries.firstIndex { $0.position >= position } ?? entries.endIndex)...]
    }

    /// Removes all events, once no listener is behind. Positions continue.
    mutating func removeAll() { entries = [] }

    /// Drops enough to make the next thinning rare.
    private mutating func thinOut() {
        let enough = Self.capacity / 2
        keepLatest { $0.kind == .progress }
        if entries.count > enough { keepLatest { _ in true } }
        if entries.count > enough { entries.removeFirst(entries.count - enough) }
    }

    /// Drops the events that satisfy the predicate and are followed by another of the same transfer.
    private mutating func keepLatest(where isReplaceable: (TransferEvent) -> Bool) {
        var seen: Set<TransferID> = []
        var kept: [Entry] = []
        for entry in entries.reversed() {
            let isLatest = seen.insert(entry.event.id).inserted
            if isLatest || !isReplaceable(entry.event) { kept.append(entry) }
        }
        entries = kept.reversed()
    }
}
