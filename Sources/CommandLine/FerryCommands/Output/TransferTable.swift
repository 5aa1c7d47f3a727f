import FerryCore
import FerryFoundation

/// Formats transfers as a table.
struct TransferTable {
    let now: Date
    /// Columns of the terminal, or nil for unlimited lines.
    var width: Int?

    private static let narrowestName = 16

    private enum Column: CaseIterable {
        case id, state, done, size, speed, left, age, session, name

        var title: Table.Column {
            switch self {
            case .id: .init(title: "ID")
            case .state: .init(title: "STATE")
            case .done: .init(title: "DONE", isNumber: true)
            case .size: .init(title: "SIZE", isNumber: true)
            case .speed: .init(title: "SPEED", isNumber: true)
            case .left: .init(title: "LEFT", isNumber: true)
            case .age: .init(title: "AGE", isNumber: true)
            case .session: .init(title: "SESSION")
            case .name: .init(title: "NAME")
            }
        }
    }

    func lines(_ transfers: [Transfer], withTitles: Bool) -> [String] {
        var columns = columns(for: transfers)
        let names = transfers.map(\.displayName)
        let wanted = min(Self.narrowestName, names.map(\.displayWidth).max() ?? 0)
        // A narrow terminal drops the least important columns and shortens names.
        for dispensable in [Column.age, .left, .speed, .size] {
            guard let width, room(for: columns, of: transfers, in: width) < wanted else { break }
            columns.removeAll { $0 == dispensable }
        }
        let shown =
            width.map { ShortNames.of(names, width: max(8, room(for: columns, of: transfers, in: $0))) } ?? names
        let rows = zip(transfers, shown).map { transfer, name in
            columns.map { $0 == .name ? name : cell($0, of: transfer) }
        }
        return Table(columns: columns.map(\.title)).lines(rows, withTitles: withTitles)
    }

    /// Columns left for names.
    private func room(for columns: [Column], of transfers: [Transfer], in width: Int) -> Int {
        columns.filter { $0 != .name }.reduce(width) { room, column in
            let widest = transfers.map { cell(column, of: $0).displayWidth }.max() ?? 0
            return room - max(widest, column.title.title.displayWidth) - 2
        }
    }

    /// Includes sessions if there are several, and speed and time left if something is running.
    private func columns(for transfers: [Transfer]) -> [Column] {
        let hasSessions = Set(transfers.map(\.session)).count > 1
        let hasRunning = transfers.contains { $0.state == .running }
        return Column.allCases.filter { column in
            switch column {
            case .session: hasSessions
            case .speed, .left: hasRunning
            case .id, .state, .done, .size, .age, .name: true
            }
        }
    }

    private func cell(_ column: Column, of transfer: Transfer) -> String {
        switch column {
        case .id: transfer.id.description
        case .state: transfer.shownState
        case .done: transfer.percent.map { "\($0)%" } ?? ByteText.of(transfer.bytesMoved)
        case .size: transfer.bytesToMove.map(ByteText.of) ?? "?"
        case .speed: transfer.bytesPerSecond.map(ByteText.speed) ?? ""
        case .left: transfer.secondsLeft.map(TimeText.clock) ?? ""
        case .age: TimeText.words(now.timeIntervalSince(transfer.createdAt))
        case .session: transfer.session.name.escapingControls
        case .name: transfer.displayName
        }
    }
}
