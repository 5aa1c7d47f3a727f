import FerryCore
import FerryFoundation

/// Shows transfers as a table, a transfer a line.
struct TransferTable {
    let now: Date

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
        let columns = columns(for: transfers)
        return Table(columns: columns.map(\.title)).lines(
            transfers.map { transfer in columns.map { cell($0, of: transfer) } }, withTitles: withTitles)
    }

    /// Sessions where there are several, speed and time left where something runs.
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
        case .done: transfer.percent.map { "\($0)%" } ?? ByteText.of(transfer.bytesReceived)
        case .size: transfer.bytesExpected.map(ByteText.of) ?? "?"
        case .speed: transfer.bytesPerSecond.map(ByteText.speed) ?? ""
        case .left: transfer.secondsLeft.map(TimeText.clock) ?? ""
        case .age: TimeText.words(now.timeIntervalSince(transfer.createdAt))
        case .session: transfer.session.name.escapingControls
        case .name: transfer.displayName
        }
    }
}
