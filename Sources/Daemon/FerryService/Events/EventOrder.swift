import FerryCore
import FerryQueue

/// Puts durable events in number order, whatever the order in which they arrive. Owned by the hub.
///
/// Events with a missing predecessor are held back, up to ``capacity``. A predecessor that does not arrive is skipped.
/// It is in the journal, because every number is committed after all lower ones.
struct EventOrder {
    enum Delivery: Equatable {
        case event(TransferEvent)
        case run(EventRun)

        fileprivate func end(from first: Int64) -> Int64 {
            switch self {
            case .event: first
            case .run(let run): run.last
            }
        }
    }

    /// Maximum number of events, and runs of events, held back.
    static let capacity = 1024

    /// Number of the latest event that listeners may know.
    private(set) var last: Int64
    /// Early arrivals, by their first number.
    private var early: [Int64: Delivery] = [:]

    init(last: Int64) { self.last = last }

    /// Whether events are held back.
    var isHeld: Bool { !early.isEmpty }
    /// Whether more events are held back than allowed.
    var isFull: Bool { early.count > Self.capacity }

    /// Advances past the number of an event that can be delivered at once. Returns false, and changes nothing, if a
    /// predecessor is missing or other events are held back.
    mutating func follows(_ number: Int64) -> Bool {
        guard number == last + 1, early.isEmpty else { return false }
        last = number
        return true
    }

    /// Adds an event and returns the events to deliver, in order.
    mutating func add(_ event: TransferEvent, _ number: Int64) -> [Delivery] { add(.event(event), number) }

    mutating func add(_ run: EventRun) -> [Delivery] { run.ids.isEmpty ? [] : add(.run(run), run.first) }

    /// Stops waiting for predecessors. Everything through the latest event is read from the journal.
    mutating func skip() {
        for (first, delivery) in early { last = max(last, delivery.end(from: first)) }
        early = [:]
    }

    private mutating func add(_ delivery: Delivery, _ first: Int64) -> [Delivery] {
        // Skipped before: listeners read it from the journal.
        guard first > last else { return [] }
        early[first] = delivery
        var next: [Delivery] = []
        while let delivery = early.removeValue(forKey: last + 1) {
            last = delivery.end(from: last + 1)
            next.append(delivery)
        }
        return next
    }
}
