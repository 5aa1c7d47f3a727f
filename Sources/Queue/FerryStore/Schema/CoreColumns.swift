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

    /// The columns that decisions read, except id and revision.
    private static let read = """
        intent, ended, attempts, has_partial, retry_at, retry_delay, retry_reason, not_before, deadline, \
        resource_timeout, starts_late, restarts, spooled, secrets_forgotten, active_spent, active_at, active_boot, \
        active_uptime
        """

    /// SQL that reads identical rows as one group, many times as fast as reading them one by one. Rows of earlier
    /// versions, without values in these columns, form groups as well.
    static let selectAlike = "SELECT min(id), min(revision), \(read), group_concat(id), count(*) FROM transfers"
    static let groupAlike = "GROUP BY revision > 0, \(read) ORDER BY min(id)"

    /// Returns the ids of a row of ``selectAlike``, in order.
    ///
    /// - Parameter page: The requested ids, in order. If all rows are alike, which is usual, they are returned without
    ///   parsing the list.
    static func ids(_ row: RowReader, of page: [TransferID]) -> [TransferID] {
        if row.integer(21) == Int64(page.count) { return page }
        var ids: [TransferID] = []
        for part in (row.text(20) ?? "").utf8.split(separator: UInt8(ascii: ",")) {
            if let column = Int64(Substring(part)) { ids.append(TransferID(column: column)) }
        }
        ids.sort()
        return ids
    }

    /// Returns the core of a row of ``selectAlike``, or `nil` if it has unknown values.
    static func core(_ row: RowReader) -> TransferCore? {
        guard let id = row.integer(0), let intent = row.text(2).flatMap(TransferIntent.init) else { return nil }
        let ended = row.integer(3)
        let outcome = ended.flatMap { JournalPhase(rawValue: Int($0))?.outcome }
        guard (ended == nil) == (outcome == nil) else { return nil }
        var core = TransferCore(
            id: TransferID(column: id), revision: Revision(row.integer(1) ?? 0), intent: intent, outcome: outcome)
        core.attempts = row.integer(4).map(Int.init) ?? 0
        core.leavesWork = row.integer(5) == 1
        core.retry = retry(row, 6)
        core.notBefore = row.date(9)
        core.deadline = row.date(10)
        core.resourceTimeout = row.finite(11)
        core.startsAfterRelaunch = row.integer(12) == 1
        core.restarts = row.integer(13).map(Int.init) ?? 0
        core.isSpooled = row.integer(14) == 1
        core.secretsForgotten = row.integer(15) == 1
        core.active = active(row, 16)
        core.clampNumbers()
        return core
    }

    /// Reads the active time from four columns.
    static func active(_ row: RowReader, _ first: Int) -> ActiveTime {
        var start: ActiveTime.Instant?
        if let wall = row.date(first + 1), let uptime = row.finite(first + 3) {
            start = ActiveTime.Instant(wall: wall, boot: row.text(first + 2), uptime: uptime)
        }
        return ActiveTime(spent: row.finite(first) ?? 0, start: start)
    }

    /// Reads the retry from three columns.
    static func retry(_ row: RowReader, _ first: Int) -> RetryMoment? {
        guard let at = row.date(first), let delay = row.finite(first + 1), let reason = row.text(first + 2) else {
            return nil
        }
        return RetryMoment(at: at, delay: delay, reason: WaitReason(rawValue: reason) ?? .unknown)
    }
}
