import Foundation
import GRDB

/// Reads the columns of a row without trusting them. A value of an unexpected type is `nil` and never a crash.
struct RowReader {
    private let row: Row

    init(_ row: Row) { self.row = row }

    func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(row[column]) }
    func text(_ column: Int) -> String? { String.fromDatabaseValue(row[column]) }
    func data(_ column: Int) -> Data? { Data.fromDatabaseValue(row[column]) }
    func real(_ column: Int) -> Double? { Double.fromDatabaseValue(row[column]) }
    /// Returns a finite number, or `nil`.
    func finite(_ column: Int) -> Double? { real(column).flatMap { $0.isFinite ? $0 : nil } }
    func date(_ column: Int) -> Date? { integer(column).map(Date.init(journalMilliseconds:)) }

    func isNull(_ column: Int) -> Bool {
        let value: DatabaseValue = row[column]
        return value.isNull
    }

    /// Decodes the JSON in a column. Returns `nil` if it is NULL or unreadable.
    func json<Value: Decodable>(_ column: Int, as type: Value.Type = Value.self) -> Value? {
        text(column).flatMap { JournalJSON.value(type, $0) }
    }
}

/// Decodes JSON that mostly repeats from row to row.
struct RepeatedJSON<Value: Decodable> {
    private var text: String?
    private var latest: Value?

    /// Decodes a text that does not come from a column.
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
