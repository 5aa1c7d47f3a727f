import FerryCore
import FerryRules

@testable import FerryQueue
@testable import FerryService

/// Facts reported to clients, which must stay true whatever happens to the process.
struct Ledger {
    /// A client's knowledge of a transfer, valid until the next command from any client.
    enum Known {
        case submitted, runs, rests, ends, gone
    }

    private enum Life { case lives, ended, gone }

    private struct Calls {
        var open = 0
        /// Whether calls overlapped, so that their order is unknown.
        var overlap = false
    }

    /// The transfers that calls concern.
    private struct Concerned {
        /// Calls without a response.
        var calls: [TransferID: Calls] = [:]
        /// Transfers that any call has concerned.
        var ever: Set<TransferID> = []
    }

    private struct Hold {
        let origin: String
        let id: TransferID
        let number: Int
    }

    private var known: [TransferID: Known] = [:]
    private var concerned = Concerned()
    /// Open calls on all transfers of a session.
    private var bulk: [SessionID: Int] = [:]
    private var addresses: [TransferID: String] = [:]
    private var lives: [TransferID: Life] = [:]
    private(set) var sessions: [TransferID: SessionID] = [:]
    /// The transfers by the numbers in their URLs.
    private var ids: [Int: TransferID] = [:]
    /// All durable events of each session.
    private var events: [SessionID: [(number: Int64, id: TransferID)]] = [:]
    /// Number of the last event that was checked.
    private(set) var last: Int64 = 0
    private(set) var settings: ServiceSettings?
    private(set) var limits: [SessionID: SessionSettings] = [:]
    /// Number of calls without a response.
    private(set) var openCalls = 0
    private var settingCalls = Calls()
    /// Transfers that a server has told to come back later.
    private var holds: [Hold] = []
    private(set) var lastHold = 0

    /// The id of the transfer that was submitted with a number.
    subscript(number: Int) -> TransferID? { ids[number] }

    var numbers: [Int] { ids.keys.sorted().filter { ids[$0].map { lives[$0] != .gone } == true } }

    // MARK: Calls

    /// Records a call: previous knowledge of the transfers may no longer hold.
    mutating func called(_ some: [TransferID], bulk session: SessionID? = nil) {
        openCalls += 1
        if let session { bulk[session, default: 0] += 1 }
        for id in some {
            concerned.calls[id, default: Calls()].overlap = concerned.calls[id, default: Calls()].open > 0
            concerned.calls[id, default: Calls()].open += 1
            known[id] = nil
            concerned.ever.insert(id)
        }
    }

    /// Records a response, and the client's knowledge from then on unless other calls overlapped.
    mutating func answered(
        _ some: [TransferID], bulk session: SessionID? = nil, _ knowledge: [TransferID: Known]
    ) {
        openCalls -= 1
        if let session { bulk[session, default: 1] -= 1 }
        for id in some {
            concerned.calls[id, default: Calls()].open -= 1
            known[id] = nil
        }
        // Another call may have removed it since.
        for (id, what) in knowledge where lives[id] != .gone || what == .gone {
            let own = concerned.calls[id] ?? Calls()
            // The answer to a submission may come after those to calls on its transfers. A removal that failed may still
            // be carried out by the next process.
            let isLate = what == .submitted && concerned.ever.contains(id)
            let isAlone =
                own.open <= 0 && !own.overlap && !isLate && sessions[id].map { bulk[$0, default: 0] == 0 } ?? false
            known[id] = isAlone ? what : nil
        }
        for id in some where concerned.calls[id]?.open == 0 { concerned.calls[id] = nil }
    }

    /// Whether more calls than the current one concern a transfer.
    func isShared(_ id: TransferID) -> Bool {
        concerned.calls[id].map { $0.open > 1 || $0.overlap } ?? false
            || sessions[id].map { bulk[$0, default: 0] > 0 } ?? false
    }

    /// Whether a call that concerns a transfer has no response yet.
    func isConcerned(_ id: TransferID) -> Bool {
        concerned.calls[id] != nil || sessions[id].map { bulk[$0, default: 0] > 0 } ?? false
    }

    /// Whether a call on all transfers of a session has no response yet.
    func isReordering(_ session: SessionID) -> Bool { bulk[session, default: 0] > 0 }

    /// Forgets the calls of a process that was killed.
    mutating func killed() {
        openCalls = 0
        concerned.calls = [:]
        bulk = [:]
        settingCalls = Calls()
        holds = []
    }

    mutating func told(_ id: TransferID, address: String?) { addresses[id] = address }

    // MARK: Settings

    mutating func settingsCalled() {
        openCalls += 1
        settingCalls.overlap = settingCalls.open > 0
        settingCalls.open += 1
        (settings, limits) = (nil, [:])
    }

    mutating func settingsAnswered(_ change: (inout Ledger) -> Void) {
        openCalls -= 1
        settingCalls.open -= 1
        if settingCalls.open == 0, !settingCalls.overlap { change(&self) }
    }

    mutating func told(_ new: ServiceSettings) { settings = new }
    mutating func told(_ id: SessionID, _ new: SessionSettings) { limits[id] = new }

    // MARK: Throttled origins

    mutating func hold(_ origin: String, _ id: TransferID) {
        lastHold += 1
        holds.append(Hold(origin: origin, id: id, number: lastHold))
    }

    /// Forgets the holds of transfers up to a number.
    mutating func release(_ some: [TransferID], through number: Int) {
        holds.removeAll { some.contains($0.id) && $0.number <= number }
    }

    func isHeld(_ origin: String) -> Bool { holds.contains { $0.origin == origin } }

    // MARK: Laws

    /// Returns a reported fact that is not true, or `nil`.
    func fault(_ rows: MemoryTransaction) -> String? {
        for (id, known) in known {
            let record = rows.rows[id]?.record
            switch known {
            case .gone: if record != nil, record?.intent.isRemoval != true { return "\(id) was removed, and is there" }
            case .submitted: if record == nil { return "\(id) was submitted, and is lost" }
            case .runs:
                guard let record, record.intent == .run else { return "\(id) was resumed, and is not to run" }
            case .rests:
                if let record, record.outcome == nil, record.intent == .run { return "\(id) was paused, and is to run" }
            case .ends:
                if let record, record.outcome == nil, !record.intent.endsTransfer {
                    return "\(id) was canceled, and is not to end"
                }
            }
        }
        for (id, address) in addresses {
            if let record = rows.rows[id]?.record, record.request.url != address { return "\(id) has lost its address" }
        }
        if let settings, rows.registry.settings != settings { return "settings are lost" }
        for (id, settings) in limits where rows.registry[id]?.settings != settings {
            return "settings of \(id) are lost"
        }
        return nil
    }

    /// The durable events of a session after a number, also the ones that were discarded.
    func events(after number: Int64, of session: SessionID, limit: Int) -> ArraySlice<(number: Int64, id: TransferID)> {
        let all = events[session] ?? []
        var start = all.count
        while start > 0, all[start - 1].number > number { start -= 1 }
        return all[start...].prefix(limit)
    }

    /// Whether a client was told that a transfer does not run.
    func isKnownToRest(_ id: TransferID) -> Bool {
        switch known[id] {
        case .rests, .ends, .gone: true
        case .submitted, .runs, nil: false
        }
    }

    /// Returns an impossible sequence of durable events, or `nil`: a completion without a start, a second completion,
    /// or an event after the removal.
    mutating func faultOfEvents(_ rows: MemoryTransaction) -> String? {
        guard rows.log.last > last else { return nil }
        for event in rows.log.events(after: last, of: nil, limit: .max) {
            let life = lives[event.id]
            events[event.session, default: []].append((event.number, event.id))
            let row = rows.rows[event.id]
            switch (event.kind, life) {
            case (.submitted, nil):
                lives[event.id] = .lives
                sessions[event.id] = event.session
                if let number = row.flatMap({ Int($0.record.request.url.lastPathPart) }) { ids[number] = event.id }
            case (.suspended, .lives?): break
            case (.resumed, .lives?), (.resumed, .ended?):
                lives[event.id] = .lives
                holds.removeAll { $0.id == event.id }
            case (.succeeded, .lives?), (.failed, .lives?), (.canceled, .lives?):
                lives[event.id] = .ended
                holds.removeAll { $0.id == event.id }
            case (.removed, .lives?), (.removed, .ended?):
                lives[event.id] = .gone
                holds.removeAll { $0.id == event.id }
            default: return "\(event.id) is \(event.kind) although it \(life.map { "\($0)" } ?? "is unknown")"
            }
            if lives[event.id] == .gone, row != nil { return "\(event.id) is removed, and is there" }
        }
        last = rows.log.last
        for (id, life) in lives where life != .gone {
            guard let record = rows.rows[id]?.record else { return "\(id) is gone without an event" }
            if (record.outcome != nil) != (life == .ended) { return "\(id) \(life), and its row does not say so" }
        }
        return nil
    }
}
