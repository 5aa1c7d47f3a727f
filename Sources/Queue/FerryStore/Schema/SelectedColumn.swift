import Foundation

/// The columns of a `SELECT`, in its order.
protocol SelectedColumn: RawRepresentable<Int>, CaseIterable {
    /// SQL of the column. Its name by default, which is the case's name in snake case.
    var expression: String { get }
}

extension SelectedColumn {
    var expression: String { name }

    /// The case's name in snake case.
    var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
        }
    }

    /// SQL of all columns.
    static var list: String { allCases.map(\.expression).joined(separator: ", ") }
}

/// Reads columns by name.
extension RowReader {
    func integer(_ column: some SelectedColumn) -> Int64? { integer(column.rawValue) }
    func count(_ column: some SelectedColumn) -> Int { integer(column).map(Int.init) ?? 0 }
    func flag(_ column: some SelectedColumn) -> Bool { integer(column) == 1 }
    func text(_ column: some SelectedColumn) -> String? { text(column.rawValue) }
    func finite(_ column: some SelectedColumn) -> Double? { finite(column.rawValue) }
    func date(_ column: some SelectedColumn) -> Date? { date(column.rawValue) }
    func isNull(_ column: some SelectedColumn) -> Bool { isNull(column.rawValue) }

    func json<Value: Decodable>(_ column: some SelectedColumn, as type: Value.Type = Value.self) -> Value? {
        json(column.rawValue, as: type)
    }
}
