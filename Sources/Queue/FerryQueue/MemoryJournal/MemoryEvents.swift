import FerryCore
import FerryFoundation

/// A durable event in memory.
struct MemoryEvent: Sendable {
    let number: Int64
    let kind: TransferEvent.Kind
    let at: Date
    let id: TransferID
    let session: SessionID
    /// The transfer as the event shows it permanently. `nil` shows its current state.
    let snapshot: Transfer?
}

/// The durable events of a journal in memory.
struct MemoryEvents: Sendable {
    private enum Change {
        case appended(Int64)
        case removed(MemoryEvent)
    }

    private var events: [Int64: MemoryEvent] = [:]
    private var numbers: [SessionID: SortedList<Int64>] = [:]
    /// Number of the latest event, also if it was removed.
    private(set) var last: Int64 = 0
    /// Undo log since ``begin()``, latest change last.
    private var undo: [Change] = []
    private var lastBefore: Int64 = 0

    // MARK: Changes

    /// Starts the undo log.
    mutating func begin() {
        undo.removeAll(keepingCapacity: true)
        lastBefore = last
    }

    /// Reverts all changes since ``begin()``.
    mutating func rollBack() {
        for change in undo.reversed() {
            switch change {
            case .appended(let number): if let event = events[number] { discard(event) }
            case .removed(let event): store(event)
            }
        }
        undo.removeAll()
        last = lastBefore
    }

    /// Assigns numbers to events that are not stored.
    mutating func skip(_ count: Int) { last += Int64(count) }

    mutating func append(
        _ kind: TransferEvent.Kind, at: Date, _ id: TransferID, _ session: SessionID, _ snapshot: Transfer?
    ) -> Int64 {
        last += 1
        store(MemoryEvent(number: last, kind: kind, at: at, id: id, session: session, snapshot: snapshot))
        undo.append(.appended(last))
        return last
    }

    /// Removes events of a session, oldest first.
    ///
    /// - Parameter isGone: Returns true to remove an event, false to keep it, `nil` to keep it and all later ones.
    /// - Returns: The number of removed events.
    mutating func remove(of session: SessionID, atMost most: Int = .max, where isGone: (MemoryEvent) -> Bool?) -> Int {
        var gone: [MemoryEvent] = []
        numbers[session]?.forEach { number in
            guard let event = events[number] else { return true }
            guard let goes = isGone(event) else { return false }
            if goes { gone.append(event) }
            return gone.count < most
        }
        for event in gone {
            discard(event)
            undo.append(.removed(event))
        }
        return gone.count
    }

    private mutating func store(_ event: MemoryEvent) {
        events[event.number] = event
        numbers[event.session, default: SortedList()].insert(event.number)
    }

    private mutating func discard(_ event: MemoryEvent) {
        events[event.number] = nil
        numbers[event.session]?.remove(event.number)
        if numbers[event.session]?.isEmpty == true { numbers[event.session] = nil }
    }

    // MARK: Reading

    /// Returns the events after a number that meet a condition, oldest first.
    ///
    /// - Parameter session: The session, or `nil` for all.
    func events(
        after number: Int64, of session: SessionID?, limit: Int, where isMeant: (MemoryEvent) -> Bool = { _ in true }
    ) -> [MemoryEvent] {
        let lists = session.map { [numbers[$0]].compactMap { $0 } } ?? Array(numbers.values)
        var found: [MemoryEvent] = []
        for list in lists {
            var count = 0
            list.forEach(after: number) { number in
                guard count < limit else { return false }
                guard let event = events[number], isMeant(event) else { return true }
                found.append(event)
                count += 1
                return true
            }
        }
        guard lists.count > 1 else { return found }
        found.sort { $0.number < $1.number }
        return Array(found.prefix(limit))
    }

    func last(of session: SessionID) -> Int64 { numbers[session]?.last ?? 0 }

    /// Returns the number of the session's event with `count` newer ones, or `nil` if there are fewer events.
    func number(of session: SessionID, newerThanIt count: Int) -> Int64? {
        var left = count
        var found: Int64?
        numbers[session]?.forEachReversed { number in
            if left == 0 { found = number }
            left -= 1
            return found == nil
        }
        return found
    }

    var sessions: [SessionID] { numbers.keys.sorted { $0.name < $1.name } }
}
