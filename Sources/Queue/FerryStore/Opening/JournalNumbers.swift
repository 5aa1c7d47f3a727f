import FerryCore
import GRDB

/// Keeps event numbers and transfer ids below their maximum.
///
/// A number near the integer maximum, as in an edited file, leaves no number for the next row. SQLite then reports a
/// full disk.
enum JournalNumbers {
    /// Highest event number that Ferry assigns. Every JSON reader represents numbers up to here exactly (RFC 8259 §6).
    static let highestEvent: Int64 = 1 << 53
    /// Base for renumbering events with numbers that Ferry cannot have assigned. Above all assigned numbers.
    static let restart: Int64 = 1 << 52
    /// Highest id that Ferry assigns, in the year 2109.
    static let highestID: Int64 = 1 << 62

    /// Replaces numbers that Ferry cannot have assigned. Events keep their order.
    ///
    /// - Returns: A sentence for the user if there were any.
    static func mend(_ database: Database) throws -> String? {
        let event = try last("events", "number", database)
        let id = try last("transfers", "id", database)
        guard event > highestEvent || id > highestID else { return nil }
        try database.inTransaction(.immediate) {
            if event > highestEvent { try mendEvents(database) }
            if id > highestID {
                let largest = try Int64.fetchOne(
                    database, sql: "SELECT max(id) FROM transfers WHERE id <= ?", arguments: [highestID])
                try set("transfers", largest ?? 0, database)
            }
            return .commit
        }
        return
            "The journal's last event had the number \(event) and its last transfer the id \(id), which Ferry has not assigned: "
            + "the file was edited. Both continue below these."
    }

    /// Whether `SQLITE_FULL` means exhausted numbers rather than a full disk.
    static func areUsedUp(_ database: Database) -> Bool {
        let last = try? last("events", "number", database)
        return last == .max
    }

    static let usedUp = ServiceError(
        .journalFailed,
        "The journal has no number left for another event, so its file was edited; restart the daemon to repair it."
    )

    /// Returns the highest number that a table has or had.
    private static func last(_ table: String, _ column: String, _ database: Database) throws -> Int64 {
        let ever = try Int64.fetchOne(database, sql: "SELECT max(seq) FROM sqlite_sequence WHERE name = '\(table)'")
        let stored = try Int64.fetchOne(database, sql: "SELECT max(\(column)) FROM \(table)")
        return max(ever ?? 0, stored ?? 0)
    }

    private static func mendEvents(_ database: Database) throws {
        let numbers = try Int64.fetchAll(
            database, sql: "SELECT number FROM events WHERE number > ? ORDER BY number", arguments: [highestEvent])
        let before = try Int64.fetchOne(
            database, sql: "SELECT max(number) FROM events WHERE number <= ?", arguments: [highestEvent])
        var next = max(restart, before ?? 0)
        for number in numbers {
            next += 1
            try database.execute(sql: "UPDATE events SET number = ? WHERE number = ?", arguments: [next, number])
        }
        try set("events", next, database)
    }

    private static func set(_ table: String, _ number: Int64, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", arguments: [number, table])
    }
}
