import Foundation
import GRDB

/// Reads the columns of a row without trusting them: what is not of the expected type is nil, never the end of the
/// process.
struct RowReader {
    private let row: Row

    init(_ row: Row) { self.row = row }

    func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(row[column]) }
    func text(_ column: Int) -> String? { String.fromDatabaseValue(row[column]) }
    func data(_ column: Int) -> Data? { Data.fromDatabaseValue(row[column]) }
    func real(_ column: Int) -> Double? { Double.fromDatabaseValue(row[column]) }
    /// A number that can be reckoned with.
    func finite(_ column: Int) -> Double? { real(column).flatMap { $0.isFinite ? $0 : nil } }
    func date(_ column: Int) -> Date? { integer(column).map(Date.init(journalMilliseconds:)) }

    func isNull(_ column: Int) -> Bool {
        let value: DatabaseValue = row[column]
        return value.isNull
    }

    /// A value that is JSON in this column; nil if it is NULL or cannot be read.
    func json<Value: Decodable>(_ column: Int, as type: Value.Type = Value.self) -> Value? {
        text(column).flatMap { JournalJSON.value(type, $0) }
    }
}
