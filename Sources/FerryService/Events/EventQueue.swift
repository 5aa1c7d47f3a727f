import DequeModule
import FerryCore

/// What one listener is still to be told, in order: events as they came, and ranges of events to be read in the journal.
///
/// Durable events are whole or in short while few wait, else a range, which costs nothing however long it is. An event that is
/// in no journal stands between its neighbours until they are told: reading these takes nothing from the listener. Of a
/// transfer's samples between two other items the latest is enough. Events of runs and of waits are kept too. When more than
/// ``liveCapacity`` events that are in no journal wait, the listener loses the ones that later events of the same transfer
/// replace, and then the oldest.
struct EventQueue: Sendable {
    /// Durable events, and batches of them, that wait before further ones are read in the journal.
    static let capacity = 256
    /// Events that no journal has and that wait.
    static let liveCapacity = 1024
    /// Transfers that one batch names at most.
    static let largestBatch = 4096
    /// Transfers that waiting batches name before further ones are read in the journal.
    static let idCapacity = 65_536

    /// Durable events to be read in the journal.
    struct Range: Equatable, Sendable {
        /// The number before the first of them.
        var after: Int64
        /// The number of the last of them.
        var through: Int64
    }

    enum Item: Sendable {
        case signal(SessionSignal)
        case range(Range)
    }

    private var items: Deque<Item> = []
    /// The place of the first item, if the first that ever came had the place 0.
    private var start = 0
    /// Where samples wait that a later one of the same transfer replaces.
    private var samples: [TransferID: Int] = [:]
    /// Durable signals among them.
    private var durable = 0
    /// Events among them that no journal has.
    private var live = 0
    /// Transfers that the batches among them name.
    private var ids = 0

    var isEmpty: Bool { items.isEmpty }

    /// Items in memory; the events of a range are none.
    var count: Int { items.count }

    // MARK: What comes

    mutating func append(_ event: TransferEvent) {
        guard let number = event.number else { return appendLive(event) }
        guard durable < Self.capacity else { return append(Range(after: number - 1, through: number)) }
        durable += 1
        samples[event.id] = nil
        items.append(.signal(.event(event)))
    }

    /// Adds events in short: to the batch that waits last if that is of the same kind, else as new ones.
    ///
    /// - Parameters:
    ///   - ids: the transfers of events with consecutive numbers.
    ///   - number: the number of the last event.
    mutating func append(_ ids: [TransferID], _ kind: TransferEvent.Kind, through number: Int64) {
        guard durable < Self.capacity, self.ids < Self.idCapacity else {
            return append(Range(after: number - Int64(ids.count), through: number))
        }
        self.ids += ids.count
        if !samples.isEmpty { for id in ids { samples[id] = nil } }
        if case .signal(.batch(var batch)) = items.last, batch.kind == kind,
            batch.ids.count + ids.count <= Self.largestBatch
        {
            // The queue's own copy goes first, so that the ids are not copied each time.
            items.removeLast()
            batch.ids.append(contentsOf: ids)
            batch.through = number
            return items.append(.signal(.batch(batch)))
        }
        var left = ids[...]
        while !left.isEmpty {
            let part = left.prefix(Self.largestBatch)
            left = left.dropFirst(Self.largestBatch)
            durable += 1
            items.append(
                .signal(.batch(EventBatch(kind: kind, through: number - Int64(left.count), ids: Array(part)))))
        }
    }

    /// Adds events that are read in the journal when their turn comes.
    mutating func append(_ range: Range) {
        guard range.after < range.through else { return }
        // Which transfers they are of is not known yet.
        samples = [:]
        // What lies between two ranges is not for this listener.
        if case .range(var last) = items.last {
            last.through = max(last.through, range.through)
            items[items.count - 1] = .range(last)
        } else {
            items.append(.range(range))
        }
    }

    private mutating func appendLive(_ event: TransferEvent) {
        let isSample = event.kind == .progress
        if isSample, let place = samples[event.id] {
            items[place - start] = .signal(.event(event))
            return
        }
        samples[event.id] = isSample ? start + items.count : nil
        live += 1
        items.append(.signal(.event(event)))
        if live > Self.liveCapacity { thinOut() }
    }

    /// Drops live events that later ones of the same transfer replace, then the oldest, so that the next thinning is far away.
    private mutating func thinOut() {
        var seen: Set<TransferID> = []
        var kept: [Item] = []
        for item in items.reversed() {
            if case .signal(.event(let event)) = item, event.number == nil {
                guard seen.count < Self.liveCapacity / 2, seen.insert(event.id).inserted else { continue }
            }
            kept.append(item)
        }
        live = seen.count
        items = []
        samples = [:]
        for item in kept.reversed() {
            // Ranges may have become neighbours.
            if case .range(let range) = item { append(range) } else { items.append(item) }
        }
    }

    // MARK: What is told

    /// Takes the first signal out; a range stays in its place until it is read.
    mutating func next() -> Item? {
        guard let item = items.first else { return nil }
        guard case .signal(let signal) = item else { return item }
        items.removeFirst()
        start += 1
        switch signal {
        case .event(let event) where event.number == nil:
            live -= 1
            if samples[event.id] == start - 1 { samples[event.id] = nil }
        case .event: durable -= 1
        case .batch(let batch): (durable, ids) = (durable - 1, ids - batch.ids.count)
        case .attached, .held, .idle: break
        }
        return item
    }

    /// Puts a page of the journal in the place of the range that it was read for, and the rest of the range behind it.
    mutating func fill(_ read: Range, with page: EventPage) {
        guard case .range(var rest) = items.first, rest.after == read.after else { return }
        let count = items.count
        items.removeFirst()
        // The range may have grown meanwhile.
        rest.after = page.isLast ? read.through : max(read.after, page.through ?? read.through)
        if rest.after < rest.through { items.prepend(.range(rest)) }
        items.prepend(contentsOf: page.signals.map(Item.signal))
        start += count - items.count
        durable += page.signals.count
        for case .batch(let batch) in page.signals { ids += batch.ids.count }
    }
}
