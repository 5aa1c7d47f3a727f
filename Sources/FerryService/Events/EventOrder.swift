import FerryCore

/// Durable events in the order of their numbers, whatever the order in which they come. Owned by the hub.
///
/// An event whose predecessor has not come is kept back, up to ``capacity`` of them. A predecessor that does not come is
/// skipped: it is in the journal, as every number is committed after all lower ones.
struct EventOrder {
    enum Told: Equatable {
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
    private var early: [Int64: Told] = [:]

    init(last: Int64) { self.last = last }

    /// Whether events are kept back.
    var isHeld: Bool { !early.isEmpty }
    /// Whether more are kept back than may be.
    var isFull: Bool { early.count > Self.capacity }

    /// Takes in the number of an event that is told at once, as nothing before it is missing and nothing waits for it; else
    /// nothing is taken in.
    mutating func follows(_ number: Int64) -> Bool {
        guard number == last + 1, early.isEmpty else { return false }
        last = number
        return true
    }

    /// Takes an event in, and returns what is to be told, in order.
    mutating func add(_ event: TransferEvent, _ number: Int64) -> [Told] { add(.event(event), number) }

    mutating func add(_ run: EventRun) -> [Told] { run.ids.isEmpty ? [] : add(.run(run), run.first) }

    /// Gives up waiting for predecessors: everything up to the latest event that has come is read in the journal.
    mutating func skip() {
        for (first, told) in early { last = max(last, told.end(from: first)) }
        early = [:]
    }

    private mutating func add(_ told: Told, _ first: Int64) -> [Told] {
        // It was skipped: listeners read it in the journal.
        guard first > last else { return [] }
        early[first] = told
        var next: [Told] = []
        while let told = early.removeValue(forKey: last + 1) {
            last = told.end(from: last + 1)
            next.append(told)
        }
        return next
    }
}
