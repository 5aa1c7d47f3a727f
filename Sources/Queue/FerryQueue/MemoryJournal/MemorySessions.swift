import FerryCore
import FerryRules

/// Settings, sessions and apps of an in-memory journal.
struct MemorySessions: Sendable {
    struct Session: Sendable {
        var settings = SessionSettings()
        /// The highest task number.
        var lastTask = 0
        var order: [TransferID] = []
        var cookies = TransferCookies()
    }

    /// All values. They are small, so the undo log is a copy.
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

    /// Reverts all changes since ``begin()``.
    mutating func rollBack() {
        if let before { values = before }
        before = nil
    }

    /// Ends the transaction of ``begin()``. A retained copy would force the next change to copy everything.
    mutating func commit() { before = nil }

    mutating func save(_ settings: ServiceSettings) { change { $0.settings = settings } }

    /// Changes a session, creating it if necessary.
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
