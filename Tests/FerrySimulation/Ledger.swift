import FerryCore

@testable import FerryService

/// Facts reported to clients, which must stay true whatever happens to the process.
struct Ledger {
    /// A client's knowledge of a transfer, valid until the next command from any client.
    enum Known {
        case submitted, runs, rests, ends, gone
    }

    private enum Life { case lives, ended, gone }

    private var known: [TransferID: Known] = [:]
    /// Calls that concern a transfer and are not answered.
    private var asked: [TransferID: Int] = [:]
    /// Addresses that clients have given anew.
    private var addresses: [TransferID: String] = [:]
    private var lives: [TransferID: Life] = [:]
    /// All durable events of each session.
    private var events: [SessionID: [(number: Int64, id: TransferID)]] = [:]
    /// Number of the last event whose life was looked at.
    private var last: Int64 = 0
    private(set) var settings: ServiceSettings?
    private(set) var sessions: [SessionID: SessionSettings] = [:]
    /// The last transfer that a client has asked for.
    var lastAsked = TransferID(0)
    /// Number of calls without a response.
    private(set) var calls = 0
    /// Transfers that a server has told to be asked later, by origin.
    private var holds: [String: Set<TransferID>] = [:]

    // MARK: Calls

    /// Notes that a client asks for something: what was known of these transfers may not hold any more.
    mutating func called(_ ids: [TransferID] = []) {
        calls += 1
        concern(ids)
    }

    /// Notes that a call that is not answered concerns transfers.
    mutating func concern(_ ids: [TransferID]) {
        for id in ids {
            asked[id, default: 0] += 1
            known[id] = nil
        }
    }

    /// Notes that a call is answered, and what its client knows then, unless another call concerns the same transfer.
    mutating func answered(_ ids: [TransferID] = [], _ what: (TransferID) -> Known? = { _ in nil }) {
        calls -= 1
        for id in ids {
            let left = asked[id, default: 1] - 1
            asked[id] = left > 0 ? left : nil
            known[id] = left > 0 ? nil : what(id)
        }
    }

    /// Forgets the calls of a process that was killed.
    mutating func killed() {
        calls = 0
        asked = [:]
        holds = [:]
    }

    mutating func told(_ id: TransferID, _ what: Known) { known[id] = what }
    mutating func told(_ id: TransferID, address: String?) { addresses[id] = address }
    mutating func told(_ new: ServiceSettings?) { settings = new }
    mutating func told(_ id: SessionID, _ new: SessionSettings?) { sessions[id] = new }

    mutating func hold(_ origin: String, _ id: TransferID) { holds[origin, default: []].insert(id) }
    mutating func release(_ origin: String) { holds[origin] = nil }
    mutating func release(told id: TransferID) { for origin in holds.keys { holds[origin]?.remove(id) } }
    func isHeld(_ origin: String) -> Bool { holds[origin]?.isEmpty == false }

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
                guard let record, record.outcome != nil || record.intent == .suspend else {
                    return "\(id) was paused, and is to run"
                }
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
        for (id, settings) in sessions where rows.registry[id]?.settings != settings {
            return "settings of \(id) are lost"
        }
        return nil
    }

    /// The durable events of a session after a number, also the events that were let go.
    func events(after number: Int64, of session: SessionID, limit: Int) -> [(number: Int64, id: TransferID)] {
        let all = events[session] ?? []
        guard let start = all.firstIndex(where: { $0.number > number }) else { return [] }
        return Array(all[start...].prefix(limit))
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
            switch (event.kind, life) {
            case (.submitted, nil): lives[event.id] = .lives
            case (.suspended, .lives?): break
            case (.resumed, .lives?), (.resumed, .ended?): lives[event.id] = .lives
            case (.succeeded, .lives?), (.failed, .lives?), (.canceled, .lives?): lives[event.id] = .ended
            case (.removed, .lives?), (.removed, .ended?): lives[event.id] = .gone
            default: return "\(event.id) is \(event.kind) although it \(life.map { "\($0)" } ?? "is unknown")"
            }
            let row = rows.rows[event.id]
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
