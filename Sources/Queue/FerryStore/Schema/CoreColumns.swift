import FerryCore
import FerryRules
import Foundation
import GRDB

/// The columns of a row that decisions depend on.
enum CoreColumns {
    /// The written columns, in the order of ``arguments(_:)``.
    static let names = [
        "intent", "phase", "ended", "attempts", "retry_at", "retry_delay", "retry_reason", "not_before", "deadline",
        "resource_timeout", "due", "starts_late", "restarts", "has_partial", "spooled", "secrets_forgotten",
        "active_spent", "active_at", "active_boot", "active_uptime",
    ]

    static func arguments(_ core: TransferCore) -> [(any DatabaseValueConvertible)?] {
        let plan = core.retry
        return [
            core.intent.rawValue, JournalPhase(core).rawValue, JournalPhase(ended: core.outcome)?.rawValue,
            core.attempts, plan?.at.journalMilliseconds, plan?.delay, plan?.reason.rawValue,
            core.notBefore?.journalMilliseconds, core.deadline?.journalMilliseconds, core.resourceTimeout,
            core.due?.journalMilliseconds, core.startsAfterRelaunch, core.restarts, core.leavesWork, core.isSpooled,
            core.secretsForgotten,
        ] + active(core.active)
    }

    /// Returns the columns of a new row with a value other than the default. Each named column costs time in each of
    /// very many rows.
    ///
    /// An omitted column is NULL, which reads as zero for counters and flags.
    static func values(_ core: TransferCore) -> [(name: String, value: DatabaseValue)] {
        zip(names, arguments(core)).compactMap { name, argument in
            guard let value = argument?.databaseValue, value != .null else { return nil }
            return zeroIsNull.contains(name) && value == 0.databaseValue ? nil : (name, value)
        }
    }

    private static let zeroIsNull: Set = ["starts_late", "restarts", "spooled", "secrets_forgotten"]

    /// Returns the columns of the active time. All are NULL for a transfer that was never started.
    static func active(_ active: ActiveTime) -> [(any DatabaseValueConvertible)?] {
        let start = active.start
        return [
            active == ActiveTime() ? nil : active.spent, start?.wall.journalMilliseconds, start?.boot, start?.uptime,
        ]
    }

    /// SQL for a changed row's next revision. A revision that Ferry cannot have assigned restarts at 1.
    static let nextRevision = "iif(revision BETWEEN 0 AND 4611686018427387903, revision + 1, 1)"

    /// A column of ``selectAlike``: the columns that decisions read, after the smallest id and revision of the group.
    private enum Column: Int, SelectedColumn {
        case id, revision
        case intent, ended, attempts, hasPartial, retryAt, retryDelay, retryReason, notBefore, deadline
        case resourceTimeout, startsLate, restarts, spooled, secretsForgotten
        case activeSpent, activeAt, activeBoot, activeUptime
        case ids, count

        var expression: String {
            switch self {
            case .id, .revision: "min(\(name))"
            case .ids: "group_concat(id)"
            case .count: "count(*)"
            default: name
            }
        }

        /// The columns that are equal in a group.
        static var equal: String {
            allCases.filter { ![.id, .revision, .ids, .count].contains($0) }.map(\.name).joined(separator: ", ")
        }
    }

    /// SQL that reads identical rows as one group, many times as fast as reading them one by one.
    static let selectAlike = "SELECT \(Column.list) FROM transfers"
    static let groupAlike = "GROUP BY \(Column.equal) ORDER BY min(id)"

    /// Returns the ids of a row of ``selectAlike``, in order.
    ///
    /// - Parameter page: The requested ids, in order. If all rows are alike, which is usual, they are returned without
    ///   parsing the list.
    static func ids(_ row: RowReader, of page: [TransferID]) -> [TransferID] {
        if row.integer(Column.count) == Int64(page.count) { return page }
        var ids: [TransferID] = []
        for part in (row.text(Column.ids) ?? "").utf8.split(separator: UInt8(ascii: ",")) {
            if let column = Int64(Substring(part)) { ids.append(TransferID(column: column)) }
        }
        ids.sort()
        return ids
    }

    /// Returns the core of a row of ``selectAlike``, or `nil` if it has unknown values.
    static func core(_ row: RowReader) -> TransferCore? {
        guard let id = row.integer(Column.id), let intent = row.text(Column.intent).flatMap(TransferIntent.init) else {
            return nil
        }
        let ended = row.integer(Column.ended)
        let outcome = ended.flatMap { JournalPhase(rawValue: Int($0))?.outcome }
        guard (ended == nil) == (outcome == nil) else { return nil }
        var core = TransferCore(
            id: TransferID(column: id), revision: Revision(row.integer(Column.revision) ?? 0), intent: intent,
            outcome: outcome)
        core.attempts = row.count(Column.attempts)
        core.leavesWork = row.flag(Column.hasPartial)
        core.retry = retry(row, at: Column.retryAt, delay: .retryDelay, reason: .retryReason)
        core.notBefore = row.date(Column.notBefore)
        core.deadline = row.date(Column.deadline)
        core.resourceTimeout = row.finite(Column.resourceTimeout)
        core.startsAfterRelaunch = row.flag(Column.startsLate)
        core.restarts = row.count(Column.restarts)
        core.isSpooled = row.flag(Column.spooled)
        core.secretsForgotten = row.flag(Column.secretsForgotten)
        core.active = active(
            row, spent: Column.activeSpent, at: .activeAt, boot: .activeBoot, uptime: .activeUptime)
        core.clampNumbers()
        return core
    }

    /// Reads the active time from four columns.
    static func active<Column: SelectedColumn>(
        _ row: RowReader, spent: Column, at: Column, boot: Column, uptime: Column
    ) -> ActiveTime {
        var start: ActiveTime.Instant?
        if let wall = row.date(at), let uptime = row.finite(uptime) {
            start = ActiveTime.Instant(wall: wall, boot: row.text(boot), uptime: uptime)
        }
        return ActiveTime(spent: row.finite(spent) ?? 0, start: start)
    }

    /// Reads the retry from three columns.
    static func retry<Column: SelectedColumn>(
        _ row: RowReader, at: Column, delay: Column, reason: Column
    ) -> RetryMoment? {
        guard let at = row.date(at), let delay = row.finite(delay), let reason = row.text(reason) else { return nil }
        return RetryMoment(at: at, delay: delay, reason: WaitReason(rawValue: reason) ?? .unknown)
    }
}
