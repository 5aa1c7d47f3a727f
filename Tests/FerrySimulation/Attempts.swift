import FerryCore

@testable import FerryService

/// Attempts as the service holds them, and who waits for their ends.
struct Attempts {
    struct Attempt {
        let key: QueueKey
        var hasRun = false
        /// Whether its run was told to stop, and the error that its transfer has then.
        var isToStop = false
        var stopError: ServiceError?
        /// Whether it has ended, and what it reports is being stored.
        var isSettling = false
        var lendsSlot = false
        var isWhole = false
        var isInMemory = false
        /// Whether its transfer has given a slot away already.
        var keepsSlot = false
        var facts = TransferFacts()
    }

    /// Calls it with whether all attempts have ended.
    typealias Waiter = (inout SimulatedWorld, Bool) -> Void

    private struct Waiting {
        var ids: Set<TransferID>
        let isPatient: Bool
        let next: Waiter
    }

    private var attempts: [TransferID: Attempt] = [:]
    /// Transfers that have given a slot away, and keep the next one.
    private var keepers: Set<TransferID> = []
    private var waiting: [Waiting] = []

    subscript(_ id: TransferID) -> Attempt? { attempts[id] }
    var ids: [TransferID] { attempts.keys.sorted() }
    var all: [TransferID: Attempt] { attempts }
    var isAnybodyWaiting: Bool { !waiting.isEmpty }

    mutating func begin(_ id: TransferID, _ key: QueueKey) {
        attempts[id] = Attempt(key: key, keepsSlot: keepers.remove(id) != nil)
    }

    mutating func change(_ id: TransferID, _ body: (inout Attempt) -> Void) {
        guard attempts[id] != nil else { return }
        body(&attempts[id]!)  // SAFETY: it is there.
    }

    /// Notes that one gives its slot away, once.
    mutating func givesSlotAway(_ id: TransferID) { keepers.insert(id) }
    mutating func forget(_ id: TransferID) { keepers.remove(id) }

    /// Ends an attempt; returns the steps that have waited for it.
    mutating func end(_ id: TransferID) -> [Waiter] {
        attempts[id] = nil
        for index in waiting.indices { waiting[index].ids.remove(id) }
        return takeWaiting { $0.ids.isEmpty }
    }

    mutating func wait(for ids: some Sequence<TransferID>, isPatient: Bool, _ next: @escaping Waiter) {
        waiting.append(Waiting(ids: Set(ids), isPatient: isPatient, next: next))
    }

    /// Returns the steps that wait no more for an attempt.
    mutating func losePatience(with id: TransferID) -> [Waiter] {
        takeWaiting { !$0.isPatient && $0.ids.contains(id) }
    }

    private mutating func takeWaiting(where isMeant: (Waiting) -> Bool) -> [Waiter] {
        let taken = waiting.filter(isMeant).map(\.next)
        waiting.removeAll(where: isMeant)
        return taken
    }
}

/// The locks for actions on transfers, and the callers waiting for them.
struct SimulatedTurns {
    private var waiting: [TransferID: [SimulatedJournal.Next]] = [:]

    var isFree: Bool { waiting.isEmpty }
    func isTaken(_ id: TransferID) -> Bool { waiting[id] != nil }

    /// Whether the turn was free, and is taken.
    mutating func take(_ id: TransferID) -> Bool {
        guard waiting[id] == nil else { return false }
        waiting[id] = []
        return true
    }

    mutating func wait(_ id: TransferID, _ next: @escaping SimulatedJournal.Next) { waiting[id]?.append(next) }

    /// Ends a turn; returns who has it next.
    mutating func leave(_ id: TransferID) -> SimulatedJournal.Next? {
        guard var line = waiting[id] else { return nil }
        guard !line.isEmpty else {
            waiting[id] = nil
            return nil
        }
        let next = line.removeFirst()
        waiting[id] = line
        return next
    }
}

/// Transfers that have a slot and wait for their records, and those whose ends wait to be stored together.
struct Gatherings {
    struct End {
        let end: StoredEnd
        let kind: TransferEvent.Kind
        let next: (inout SimulatedWorld, Result<Int64?, ServiceError>) -> Void
    }

    var starting: [TransferID] = []
    var isReading = false
    var ahead = RecordsAhead()
    var ends: [End] = []
    var isStoring = false
}
