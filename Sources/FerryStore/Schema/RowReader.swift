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

/// Reads JSON that is mostly the same as in the row before.
struct RepeatedJSON<Value: Decodable> {
    private var text: String?
    private var latest: Value?

    /// Reads a text that is not a column's.
    mutating func value(_ text: String?) -> Value? {
        if text != self.text {
            self.text = text
            latest = text.flatMap { JournalJSON.value(Value.self, $0) }
        }
        return latest
    }

    mutating func value(_ row: RowReader, _ column: Int) -> Value? {
        let text = row.text(column)
        if text != self.text {
            self.text = text
            latest = row.json(column)
        }
        return latest
    }
}

extension RepeatedJSON: Sendable where Value: Sendable {}
