package import FerryCore
import GRDB

/// Reading settings.
extension SQLiteReads {
    package func settings() throws(TransferError) -> ServiceSettings? {
        guard var settings: ServiceSettings = try value("SELECT value FROM settings WHERE name = ?", "service") else {
            return nil
        }
        settings.bringNumbersIntoRange(.clamp)
        return settings
    }

    package func sessionSettings(_ id: SessionID) throws(TransferError) -> SessionSettings? {
        guard var settings: SessionSettings = try value("SELECT settings FROM sessions WHERE name = ?", id.name)
        else { return nil }
        settings.bringNumbersIntoRange(.clamp)
        return settings
    }

    package func lastTask(of id: SessionID) throws(TransferError) -> Int {
        try connection.row("SELECT last_task FROM sessions WHERE name = ?", [id.name])
            .flatMap { RowReader($0).integer(0) }.map(Int.init) ?? 0
    }

    package func order(of id: SessionID) throws(TransferError) -> [TransferID] {
        let sql = "SELECT transfer_order FROM sessions WHERE name = ? AND transfer_order IS NOT NULL"
        return try connection.row(sql, [id.name]).flatMap { RowReader($0).data(0) }.map(TransferOrder.ids) ?? []
    }

    package func cookies(of id: SessionID) throws(TransferError) -> TransferCookies {
        let sql = "SELECT cookies FROM sessions WHERE name = ? AND cookies IS NOT NULL"
        return try value(sql, id.name) ?? TransferCookies()
    }

    private func value<Value: Decodable>(_ sql: String, _ name: String) throws(TransferError) -> Value? {
        guard let row = try connection.row(sql, [name]) else { return nil }
        let value = RowReader(row).json(0, as: Value.self)
        if value == nil { connection.report(unreadable: ["settings"], of: name) }
        return value
    }
}
