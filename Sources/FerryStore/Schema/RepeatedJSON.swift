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
