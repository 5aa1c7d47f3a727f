package import FerryCore
package import FerryQueue
package import FerryRules
package import Foundation
import GRDB

/// Transfer ids in order, with their JSON form for statements.
private struct NamedIDs {
    let ids: [TransferID]
    private let text: String?

    /// - Parameter json: The ids as JSON. With `nil` it is made on demand, since most decisions about a part change
    ///   nothing.
    init(_ ids: [TransferID], json: String? = nil) {
        self.ids = ids
        text = json
    }

    var json: String { text ?? PageQuery.json(ids) }

    /// Merges disjoint parts.
    init(_ parts: [NamedIDs]) {
        self = parts.count == 1 ? parts[0] : NamedIDs(parts.flatMap(\.ids).sorted())
    }
}

/// Rows with equal values in all columns that decisions depend on.
private struct AlikeRows {
    /// The core of one of them.
    let core: TransferCore
    let named: NamedIDs
}

extension BulkCommandSituation {
    /// Splits transfers by the command's situation: delayed, running, both or neither.
    fileprivate func parts(of named: NamedIDs) -> [(CommandSituation, NamedIDs)] {
        guard !delayed.isEmpty || !running.isEmpty else {
            return [(CommandSituation(now: now, mayHaveLeftovers: mayHaveLeftovers), named)]
        }
        var parts: [[TransferID]] = [[], [], [], []]
        for id in named.ids { parts[(delayed.contains(id) ? 1 : 0) + (running.contains(id) ? 2 : 0)].append(id) }
        return parts.enumerated().filter { !$0.element.isEmpty }.map { place, ids in
            let moment = CommandSituation(
                now: now, isDelayed: place & 1 == 1, isRunning: place & 2 == 2, mayHaveLeftovers: mayHaveLeftovers)
            return (moment, ids.count == named.ids.count ? named : NamedIDs(ids))
        }
    }
}

/// A change to a transfer's row. The same for many rows.
private struct RowChange: Hashable {
    let intent: TransferIntent
    let phase: JournalPhase
    let ended: Outcome.Kind?
    let due: Date?
    let restarts: Int
    let active: ActiveTime
    let waitsForMoment: Bool
    /// Whether the failure limits restart.
    let startsLimits: Bool
    /// Whether an outcome is removed.
    let revives: Bool

    init(_ core: TransferCore, from old: TransferCore, _ action: TransferMachine.Action) {
        intent = core.intent
        phase = JournalPhase(core)
        ended = core.outcome
        due = core.due
        restarts = core.restarts
        active = core.active
        waitsForMoment = core.waitsForMoment
        startsLimits = action.startsLimits
        revives = old.outcome != nil && core.outcome == nil
    }
}

extension SQLiteTransaction {
    package func change(
        _ command: TransferCommand, _ ids: [TransferID], of session: SessionID, _ circumstances: BulkCommandSituation
    ) throws(ServiceError) -> BulkCommandChanges {
        try connection.deferCheckpoint(changing: ids.count)
        var changes = BulkCommandChanges()
        var left = ids.sorted()[...]
        while !left.isEmpty {
            let ids = Array(left.prefix(Self.pageSize))
            left = left.dropFirst(Self.pageSize)
            let page = NamedIDs(ids, json: PageQuery.json(ids))
            try change(command, try alike(page, of: session), circumstances, &changes)
        }
        changes.sort()
        return changes
    }

    /// Maximum number of rows in memory at a time.
    private static var pageSize: Int { 1000 }

    /// Decides the command for a page of rows, and writes equal changes together.
    private func change(
        _ command: TransferCommand, _ page: [AlikeRows], _ circumstances: BulkCommandSituation,
        _ changes: inout BulkCommandChanges
    ) throws(ServiceError) {
        var groups: [RowChange: [NamedIDs]] = [:]
        for rows in page {
            for (moment, named) in circumstances.parts(of: rows.named) {
                var core = rows.core
                let action = TransferMachine.decide(command, &core, at: moment)
                if case .refuse = action {
                    // Each refusal names its own transfer.
                    for id in named.ids {
                        var core = rows.core
                        core.id = id
                        _ = changes.note(TransferMachine.decide(command, &core, at: moment), of: [id])
                    }
                } else if changes.note(action, of: named.ids) {
                    groups[RowChange(core, from: rows.core, action), default: []].append(named)
                }
            }
        }
        for (change, named) in groups.mapValues(NamedIDs.init).sorted(by: { $0.value.ids[0] < $1.value.ids[0] }) {
            if change.revives {
                try revive(change, named)
            } else {
                try write(change, change.startsLimits ? Self.limits : "", named)
            }
        }
    }

    /// SQL that restarts the failure limits.
    private static var limits: String { ", failures = '\(TransferColumns.plain)'" }

    /// Makes finished transfers live again. If another transfer has taken the destination meanwhile, the next response
    /// head chooses a new one.
    private func revive(_ change: RowChange, _ named: NamedIDs) throws(ServiceError) {
        let live = Self.limits + ", outcome = NULL, finished_at = NULL"
        try write(change, live + ", destination = former, former = NULL", named)
        var robbed: [TransferID] = []
        try connection.forEachRow(
            "SELECT id FROM transfers WHERE id IN (SELECT value FROM json_each(?)) AND ended IS NOT NULL",
            [named.json]
        ) { row in
            if let id = row.integer(0) { robbed.append(TransferID(column: id)) }
        }
        for id in robbed {
            try write(change, live + ", destination = NULL, former = NULL", NamedIDs([id]))
            let row = try connection.row("SELECT facts FROM transfers WHERE id = ?", [id.column])
            guard var facts = row.map(RowReader.init)?.json(0, as: TransferFacts.self) else { continue }
            facts.destination = nil
            try connection.execute(
                "UPDATE transfers SET facts = ? WHERE id = ?", [try JournalJSON.text(facts), id.column])
        }
    }

    /// Writes one change to several transfers. Skips a transfer if another one has reserved its destination.
    ///
    /// The change clears the planned retry and the placed path, since no transfer succeeds by a command.
    private func write(_ change: RowChange, _ more: String, _ named: NamedIDs) throws(ServiceError) {
        try connection.execute(
            """
            UPDATE OR IGNORE transfers SET revision = \(CoreColumns.nextRevision), intent = ?, phase = ?, ended = ?, \
            due = ?, restarts = ?, active_spent = ?, active_at = ?, active_boot = ?, active_uptime = ?, \
            line = CASE WHEN ? THEN NULL ELSE network END, retry = NULL, retry_at = NULL, retry_delay = NULL, \
            retry_reason = NULL, placed = NULL\(more) WHERE id IN (SELECT value FROM json_each(?))
            """,
            [
                change.intent.rawValue, change.phase.rawValue, JournalPhase(ended: change.ended)?.rawValue,
                change.due?.journalMilliseconds, change.restarts,
            ] + StatementArguments(CoreColumns.active(change.active))
                + [change.waitsForMoment, named.json])
    }

    /// Deletes transfers and records their removal as events.
    package func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(ServiceError) -> EventRun {
        try deleteRequests(ids)
        try connection.execute(
            "DELETE FROM transfers WHERE id IN (SELECT value FROM json_each(?))", [PageQuery.json(ids)])
        return try appendEvents(kind: .removed, at: now, ids: ids, session: session)
    }

    // MARK: Reading

    /// Groups some of a session's transfers by the columns that decisions depend on. Most transfers of one bulk action
    /// are alike.
    private func alike(_ page: NamedIDs, of session: SessionID) throws(ServiceError) -> [AlikeRows] {
        var found: [AlikeRows] = []
        // A `+` keeps SQLite from scanning the whole session.
        try connection.forEachRow(
            CoreColumns.selectAlike + " WHERE +session = ? AND id IN (SELECT value FROM json_each(?)) "
                + CoreColumns.groupAlike, [session.name, page.json]
        ) { row in
            let named = CoreColumns.ids(row, of: page.ids)
            guard let core = CoreColumns.core(row) else {
                let names = named.map(\.description).joined(separator: ", ")
                connection.report(unreadable: ["intent", "ended"], of: "transfers \(names)")
                return
            }
            found.append(AlikeRows(core: core, named: named.count == page.ids.count ? page : NamedIDs(named)))
        }
        return found
    }
}
