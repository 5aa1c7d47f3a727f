import DequeModule
import FerryCore

/// A listener's pending events in order: events in memory, and ranges of events to read from the journal.
///
/// Durable events are kept whole or in short while few are pending. Further ones become a range, which has constant
/// size. Live events (found in no journal) keep their position between durable ones until delivered, and reading a
/// range drops none of them. Of a transfer's samples between two other items only the latest is kept. Running and
/// waiting events are all kept. When more than ``liveCapacity`` live events are pending, the ones replaced by later
/// events of the same transfer are dropped, then the oldest.
struct EventQueue: Sendable {
    /// Maximum number of pending durable events and batches. Further events are read from the journal.
    static let capacity = 256
    /// Maximum number of pending live events.
    static let liveCapacity = 1024
    /// Maximum number of transfers in one batch.
    static let largestBatch = 4096
    /// Maximum number of transfers in all pending batches. Further events are read from the journal.
    static let idCapacity = 65_536

    /// A range of durable events to read from the journal.
    struct Range: Equatable, Sendable {
        /// The number before the first event.
        var after: Int64
        /// The number of the last event.
        var through: Int64
    }

    enum Item: Sendable {
        case signal(SessionSignal)
        case range(Range)
    }

    private var items: Deque<Item> = []
    /// Position of the first item. The first item ever queued had position 0.
    private var start = 0
    /// Positions of the samples that a later sample of the same transfer replaces.
    private var samples: [TransferID: Int] = [:]
    /// Number of durable signals among the items.
    private var durable = 0
    /// Number of live events among the items.
    private var live = 0
    /// Number of transfers in the items' batches.
    private var ids = 0

    var isEmpty: Bool { items.isEmpty }

    /// Number of items in memory, without the events of ranges.
    var count: Int { items.count }

    // MARK: Adding

    mutating func append(_ event: TransferEvent) {
        guard let number = event.number else { return appendLive(event) }
        guard durable < Self.capacity else { return append(Range(after: number - 1, through: number)) }
        durable += 1
        samples[event.id] = nil
        items.append(.signal(.event(event)))
    }

    /// Adds short events: to the last batch if it is of the same kind, else as a new batch.
    ///
    /// - Parameters:
    ///   - ids: The transfers of events with consecutive numbers.
    ///   - number: The number of the last event.
    mutating func append(_ ids: [TransferID], _ kind: TransferEvent.Kind, through number: Int64) {
        guard durable < Self.capacity, self.ids < Self.idCapacity else {
            return append(Range(after: number - Int64(ids.count), through: number))
        }
        self.ids += ids.count
        if !samples.isEmpty { for id in ids { samples[id] = nil } }
        if case .signal(.batch(var batch)) = items.last, batch.kind == kind,
            batch.ids.count + ids.count <= Self.largestBatch
        {
            // Remove the queue's copy first, so that the ids are not copied each time.
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

    /// Adds a range of events to read from the journal.
    mutating func append(_ range: Range) {
        guard range.after < range.through else { return }
        // The range's transfers are unknown, so it ends the replacement of earlier samples.
        samples = [:]
        // Events between two ranges are not for this listener.
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

    /// Drops live events replaced by later ones of the same transfer, then the oldest. Drops enough to make the next
    /// thinning rare.
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
            // Ranges may have become adjacent.
            if case .range(let range) = item { append(range) } else { items.append(item) }
        }
    }

    // MARK: Delivery

    /// Removes and returns the first signal. A range stays in place until it is read.
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

    /// Replaces a range with the journal page read for it, followed by the remaining range.
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
