import FerryCore
import Foundation

/// Encodes and decodes Core's values as JSON. Dates are whole milliseconds since 1970, as in the columns.
enum JournalJSON {
    private static let writer = JSONWriter(date: .number { $0.journalMilliseconds })

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(journalMilliseconds: try decoder.singleValueContainer().decode(Int64.self))
        }
        return decoder
    }()

    static func text(_ value: some Encodable) throws(ServiceError) -> String {
        do {
            return String(decoding: try writer.bytes(value), as: UTF8.self)
        } catch {
            throw ServiceError(.internal, "A value cannot be written to the journal: \(error).")
        }
    }

    static func text(ifPresent value: (some Encodable)?) throws(ServiceError) -> String? {
        guard let value else { return nil }
        return try text(value)
    }

    static func value<Value: Decodable>(_ type: Value.Type = Value.self, _ text: String) -> Value? {
        try? decoder.decode(type, from: Data(text.utf8))
    }

    /// Returns SQL for a value in a JSON column, NULL for invalid JSON.
    ///
    /// SQLite's JSON functions abort the whole statement on invalid JSON. A condition before an `AND` does not guard
    /// them, as SQLite may evaluate both sides. Only `CASE` evaluates its branches conditionally.
    static func extract(_ path: String, from column: String) -> String {
        "CASE WHEN json_valid(\(column)) THEN json_extract(\(column), '$.\(path)') END"
    }
}

extension Date {
    /// Whole milliseconds since 1970, the journal's form of a date. Clamped to the range of Int64.
    var journalMilliseconds: Int64 {
        let exact = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }

    init(journalMilliseconds milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

extension TransferID {
    /// The id's bits as SQLite's signed integer.
    var column: Int64 { Int64(bitPattern: rawValue) }

    init(column: Int64) { self.init(rawValue: UInt64(bitPattern: column)) }
}
