import FerryCore
import FerryRules
import GRDB

/// Settings, sessions and apps.
struct SessionRows {
    let connection: JournalConnection

    // MARK: Reading

    func service() throws(ServiceError) -> ServiceSettings? {
        guard var settings: ServiceSettings = try value("SELECT value FROM settings WHERE name = ?", "service") else {
            return nil
        }
        settings.bringNumbersIntoRange(.clamp)
        return settings
    }

    func settings(of id: SessionID) throws(ServiceError) -> SessionSettings? {
        guard var settings: SessionSettings = try value("SELECT settings FROM sessions WHERE name = ?", id.name)
        else { return nil }
        settings.bringNumbersIntoRange(.clamp)
        return settings
    }

    func lastTask(of id: SessionID) throws(ServiceError) -> Int {
        try connection.row("SELECT last_task FROM sessions WHERE name = ?", [id.name])
            .flatMap { RowReader($0).integer(0) }.map { SettingRange.task.clamp(Int($0)) } ?? 0
    }

    func order(of id: SessionID) throws(ServiceError) -> [TransferID] {
        let sql = "SELECT transfer_order FROM sessions WHERE name = ? AND transfer_order IS NOT NULL"
        return try connection.row(sql, [id.name]).flatMap { RowReader($0).data(0) }.map(TransferOrder.ids) ?? []
    }

    func cookies(of id: SessionID) throws(ServiceError) -> TransferCookies {
        let sql = "SELECT cookies FROM sessions WHERE name = ? AND cookies IS NOT NULL"
        return try value(sql, id.name) ?? TransferCookies()
    }

    private func value<Value: Decodable>(_ sql: String, _ name: String) throws(ServiceError) -> Value? {
        guard let row = try connection.row(sql, [name]) else { return nil }
        let value = RowReader(row).json(0, as: Value.self)
        if value == nil { connection.report(unreadable: ["settings"], of: name) }
        return value
    }

    func stored() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings)] {
        var names: [String] = []
        try connection.forEachRow("SELECT name FROM sessions ORDER BY name") { row in
            if let name = row.text(0) { names.append(name) }
        }
        var found: [(id: SessionID, settings: SessionSettings)] = []
        for name in names {
            guard let id = try? SessionID(name) else {
                connection.report(unreadable: ["session"], of: "session \(name.escapingControls)")
                continue
            }
            found.append((id, try settings(of: id) ?? SessionSettings()))
        }
        return found
    }

    func counted() throws(ServiceError) -> [(
        id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int]
    )] {
        var counts: [String: [JournalPhase: Int]] = [:]
        try connection.forEachRow("SELECT session, phase, count(*) FROM transfers GROUP BY session, phase") { row in
            guard let session = row.text(0), let phase = row.integer(1).flatMap({ JournalPhase(rawValue: Int($0)) })
            else { return }
            counts[session, default: [:]][phase] = row.integer(2).map(Int.init)
        }
        try connection.forEachRow("SELECT name FROM sessions") { row in
            if let name = row.text(0) { counts[name] = counts[name] ?? [:] }
        }
        var result: [(id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int])] = []
        for (name, counts) in counts.sorted(by: { $0.key < $1.key }) {
            guard let id = try? SessionID(name) else {
                connection.report(unreadable: ["session"], of: "session \(name.escapingControls)")
                continue
            }
            result.append((id, try settings(of: id) ?? SessionSettings(), counts))
        }
        return result
    }

    func applications() throws(ServiceError) -> [String: ApplicationRecord] {
        var found: [String: ApplicationRecord] = [:]
        try connection.forEachRow("SELECT name, value FROM applications") { row in
            guard let name = row.text(0) else { return }
            found[name] = row.json(1)
            if found[name] == nil { connection.report(unreadable: ["value"], of: "app \(name.escapingControls)") }
        }
        return found
    }

    func registrations() throws(ServiceError) -> [SessionID: SessionRegistration] {
        var found: [SessionID: SessionRegistration] = [:]
        try connection.forEachRow("SELECT session, value FROM registrations") { row in
            guard let name = row.text(0) else { return }
            let registration: SessionRegistration? = row.json(1)
            if let registration, let id = try? SessionID(name) {
                found[id] = registration
            } else {
                connection.report(unreadable: ["value"], of: "session \(name.escapingControls)")
            }
        }
        return found
    }

    // MARK: Changes

    func save(_ settings: ServiceSettings) throws(ServiceError) {
        try connection.execute(
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('service', ?)", [try JournalJSON.text(settings)])
    }

    /// Stores a session's settings. Creates the session if it is missing.
    func save(_ id: SessionID, _ settings: SessionSettings) throws(ServiceError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings) VALUES (?, ?) \
            ON CONFLICT (name) DO UPDATE SET settings = excluded.settings
            """,
            [id.name, try JournalJSON.text(settings)])
    }

    /// Records a task number, so that the session never assigns it again.
    func noteTask(_ number: Int, of id: SessionID) throws(ServiceError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings, last_task) VALUES (?, ?, ?) \
            ON CONFLICT (name) DO UPDATE SET last_task = max(last_task, excluded.last_task)
            """,
            [id.name, try JournalJSON.text(SessionSettings()), number])
    }

    /// Stores the order of a session's transfers. Creates the session if it is missing.
    func saveOrder(_ order: [TransferID], of id: SessionID) throws(ServiceError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings, transfer_order) VALUES (?, ?, ?) \
            ON CONFLICT (name) DO UPDATE SET transfer_order = excluded.transfer_order
            """,
            [id.name, try JournalJSON.text(SessionSettings()), TransferOrder.data(order)])
    }

    /// Stores the cookies that servers have set in a session.
    func save(_ cookies: TransferCookies, of id: SessionID) throws(ServiceError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings, cookies) VALUES (?, ?, ?) \
            ON CONFLICT (name) DO UPDATE SET cookies = excluded.cookies
            """,
            [id.name, try JournalJSON.text(SessionSettings()), try JournalJSON.text(cookies)])
    }

    func save(application name: String, _ record: ApplicationRecord) throws(ServiceError) {
        try connection.execute(
            "INSERT OR REPLACE INTO applications (name, value) VALUES (?, ?)", [name, try JournalJSON.text(record)])
    }

    /// Stores a session's registration, which is kept while its app is not running. Creates the session if it is
    /// missing.
    func save(
        _ registration: SessionRegistration, of id: SessionID
    ) throws(ServiceError) {
        try connection.execute(
            "INSERT OR REPLACE INTO registrations (session, value) VALUES (?, ?)",
            [id.name, try JournalJSON.text(registration)])
        try connection.execute(
            "INSERT OR IGNORE INTO sessions (name, settings) VALUES (?, ?)",
            [id.name, try JournalJSON.text(SessionSettings())])
    }
}
