import DequeModule
import FerryCore
import FerryQueue

/// A listener's pending events in order: events in memory, and ranges of events to read from the journal.
///
/// A full queue is offered no further events: see ``EventBacklog``. Live events (found in no journal) keep their
/// position between durable ones until delivered, and reading a range drops none of them. Of a transfer's samples
/// between two other items only the latest is kept. Running and waiting events are all kept.
struct EventQueue: Sendable {
    /// Number of pending events and batches with which the queue is full.
    static let capacity = 256
    /// Maximum number of transfers in one batch.
    static let largestBatch = 4096
    /// Number of transfers in all pending batches with which the queue is full.
    static let idCapacity = 65_536

    /// A range of durable events to read from the journal.
    struct Range: Hashable, Sendable {
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
    /// Number of ranges among the items.
    private var ranges = 0
    /// Number of transfers in the items' batches.
    private var ids = 0

    var isEmpty: Bool { items.isEmpty }

    /// Number of items in memory, without the events of ranges.
    var count: Int { items.count }

    /// Whether to offer no more events until the pending ones are taken. Events after a range would wait for the
    /// journal anyway.
    var isFull: Bool { ranges > 0 || items.count >= Self.capacity || ids >= Self.idCapacity }

    // MARK: Adding

    mutating func append(_ event: TransferEvent) {
        guard event.number != nil else { return appendLive(event) }
        samples[event.id] = nil
        items.append(.signal(.event(event)))
    }

    /// Adds short events: to the last batch if it is of the same kind, else as a new batch.
    ///
    /// - Parameters:
    ///   - ids: The transfers of events with consecutive numbers.
    ///   - number: The number of the last event.
    mutating func append(_ ids: [TransferID], _ kind: TransferEvent.Kind, through number: Int64) {
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
            ranges += 1
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
        items.append(.signal(.event(event)))
    }

    // MARK: Delivery

    /// Removes and returns the first signal. A range stays in place until it is read.
    mutating func next() -> Item? {
        guard let item = items.first else { return nil }
        guard case .signal(let signal) = item else { return item }
        items.removeFirst()
        start += 1
        switch signal {
        case .event(let event): if samples[event.id] == start - 1 { samples[event.id] = nil }
        case .batch(let batch): ids -= batch.ids.count
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
        if rest.after < rest.through { items.prepend(.range(rest)) } else { ranges -= 1 }
        items.prepend(contentsOf: page.signals.map(Item.signal))
        start += count - items.count
        for case .batch(let batch) in page.signals { ids += batch.ids.count }
    }
}
