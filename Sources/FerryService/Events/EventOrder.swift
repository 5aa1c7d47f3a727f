import FerryCore

/// Durable events in the order of their numbers, whatever the order in which they come. Owned by the hub.
///
/// An event whose predecessor has not come is kept back, up to ``capacity`` of them. A predecessor that does not come is
/// skipped: it is in the journal, as every number is committed after all lower ones.
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

    /// Events, and runs of events, that are kept back at most.
    static let capacity = 1024

    /// Number of the latest event that all listeners may know.
    private(set) var last: Int64
    /// What has come early, by its first number.
    private var early: [Int64: Delivery] = [:]

    init(last: Int64) { self.last = last }

    /// Whether events are kept back.
    var isHeld: Bool { !early.isEmpty }
    /// Whether more are kept back than may be.
    var isFull: Bool { early.count > Self.capacity }

    /// Takes in the number of an event that is delivery at once, as nothing before it is missing and nothing waits for it; else
    /// nothing is taken in.
    mutating func follows(_ number: Int64) -> Bool {
        guard number == last + 1, early.isEmpty else { return false }
        last = number
        return true
    }

    /// Takes an event in, and returns what is to be delivery, in order.
    mutating func add(_ event: TransferEvent, _ number: Int64) -> [Delivery] { add(.event(event), number) }

    mutating func add(_ run: EventRun) -> [Delivery] { run.ids.isEmpty ? [] : add(.run(run), run.first) }

    /// Gives up waiting for predecessors: everything up to the latest event that has come is read in the journal.
    mutating func skip() {
        for (first, delivery) in early { last = max(last, delivery.end(from: first)) }
        early = [:]
    }

    private mutating func add(_ delivery: Delivery, _ first: Int64) -> [Delivery] {
        // It was skipped: listeners read it in the journal.
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
