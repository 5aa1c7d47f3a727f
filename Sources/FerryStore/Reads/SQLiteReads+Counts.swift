package import FerryCore
import GRDB

/// How many transfers there are, and of whom.
extension SQLiteReads {
    package func counts(session: SessionID?) throws(TransferError) -> [JournalPhase: Int] {
        var counts: [JournalPhase: Int] = [:]
        let (condition, arguments): (String, StatementArguments) =
            session.map { ("WHERE session = ?", [$0.name]) } ?? ("", [])
        try connection.forEachRow("SELECT phase, count(*) FROM transfers \(condition) GROUP BY phase", arguments) {
            row in
            guard let phase = row.integer(0).flatMap({ JournalPhase(rawValue: Int($0)) }) else { return }
            counts[phase] = row.integer(1).map(Int.init)
        }
        return counts
    }

    package func storedSessions() throws(TransferError) -> [(id: SessionID, settings: SessionSettings)] {
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
            found.append((id, try sessionSettings(id) ?? SessionSettings()))
        }
        return found
    }

    package func sessions() throws(TransferError) -> [(
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
            result.append((id, try sessionSettings(id) ?? SessionSettings(), counts))
        }
        return result
    }
}
