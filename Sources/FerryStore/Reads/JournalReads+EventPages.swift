// Ferry: FerryStore
// Pages of durable events for listeners.

package import FerryCore
import GRDB

extension JournalReads {
    /// The durable events after a number, each whole.
    package func page(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]? = nil
    ) throws(TransferError) -> EventPage {
        let events = try events(
            after: number, session: session, ids: ids, kinds: kinds, limit: EventPage.wholeEvents)
        return EventPage(
            signals: events.map(SessionSignal.event), through: events.last?.number,
            isLast: events.count < EventPage.wholeEvents)
    }

    /// The durable events of a session after a number: ends whole, all others in short.
    package func briefPage(after number: Int64, session: SessionID) throws(TransferError) -> EventPage {
        let rows = try briefRows(after: number, session: session)
        var signals: [SessionSignal] = []
        var batch: EventBatch?
        var through: Int64?
        var whole = 0
        var used = 0
        for row in rows {
            if row.kind.isBrief {
                if batch?.kind != row.kind {
                    if let batch { signals.append(.batch(batch)) }
                    batch = EventBatch(kind: row.kind, through: row.number, ids: [])
                }
                batch?.ids.append(row.id)
                batch?.through = row.number
            } else {
                guard whole < EventPage.wholeEvents else { break }
                whole += 1
                if let last = batch { signals.append(.batch(last)) }
                batch = nil
                let event = try events(after: row.number - 1, session: session, ids: [row.id], limit: 1)
                signals += event.map(SessionSignal.event)
            }
            used += 1
            through = row.number
        }
        if let batch { signals.append(.batch(batch)) }
        return EventPage(
            signals: signals, through: through, isLast: used == rows.count && rows.count < EventPage.briefEvents)
    }

    private func briefRows(after number: Int64, session: SessionID) throws(TransferError) -> [BriefRow] {
        var rows: [BriefRow] = []
        try connection.forEachRow(
            "SELECT number, id, kind FROM events WHERE session = ? AND number > ? ORDER BY number LIMIT ?",
            [session.name, number, EventPage.briefEvents]
        ) { row in
            guard let number = row.integer(0), let id = row.integer(1), let kind = row.text(2) else { return }
            rows.append(
                BriefRow(
                    number: number, id: TransferID(column: id), kind: TransferEvent.Kind(rawValue: kind) ?? .unknown))
        }
        let numbers = [number] + rows.map(\.number)
        try connection.checkAdvance(zip(numbers, numbers.dropFirst()).allSatisfy(<))
        return rows
    }
}

private struct BriefRow {
    let number: Int64
    let id: TransferID
    let kind: TransferEvent.Kind
}
