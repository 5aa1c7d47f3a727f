import FerryCore

/// Settings, and what is kept of sessions and apps, in memory.
struct MemorySessions: Sendable {
    struct Session: Sendable {
        var settings = SessionSettings()
        /// The highest number of a task.
        var lastTask = 0
        var order: [TransferID] = []
        var cookies = TransferCookies()
    }

    /// All of it; small, so that what takes changes back is a copy.
    private struct Values {
        var settings: ServiceSettings?
        var sessions: [SessionID: Session] = [:]
        var applications: [String: ApplicationRecord] = [:]
        var registrations: [SessionID: SessionRegistration] = [:]
    }

    private var values = Values()
    private var before: Values?

    // MARK: Changes

    mutating func begin() { before = nil }

    /// Takes all changes back that were made since ``begin()``.
    mutating func rollBack() {
        if let before { values = before }
        before = nil
    }

    /// Ends what ``begin()`` began: a copy that is held would make the next change copy all.
    mutating func commit() { before = nil }

    mutating func save(_ settings: ServiceSettings) { change { $0.settings = settings } }

    /// Changes a session; makes it if there is none.
    mutating func save(_ id: SessionID, _ body: (inout Session) -> Void) {
        change { body(&$0.sessions[id, default: Session()]) }
    }

    mutating func save(_ name: String, _ record: ApplicationRecord) { change { $0.applications[name] = record } }

    mutating func save(_ registration: SessionRegistration, of id: SessionID) {
        change { values in
            values.registrations[id] = registration
            values.sessions[id] = values.sessions[id] ?? Session()
        }
    }

    private mutating func change(_ body: (inout Values) -> Void) {
        if before == nil { before = values }
        body(&values)
    }

    // MARK: Reading

    var settings: ServiceSettings? { values.settings }
    var applications: [String: ApplicationRecord] { values.applications }
    var registrations: [SessionID: SessionRegistration] { values.registrations }
    var ids: [SessionID] { values.sessions.keys.sorted { $0.name < $1.name } }

    subscript(_ id: SessionID) -> Session? { values.sessions[id] }
}
