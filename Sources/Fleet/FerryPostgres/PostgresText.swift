import FerryCore

/// Values as PostgreSQL reads them in text form.
enum PostgresText {
    /// The text without null characters, which PostgreSQL stores in no encoding.
    static func storable(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }) : text
    }

    /// An array literal. Elements are quoted, so that they may contain anything.
    static func array(_ elements: [String?]) -> String {
        var bytes = Array("{".utf8)
        for (place, element) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let element else {
                bytes += "NULL".utf8
                continue
            }
            bytes.append(UInt8(ascii: "\""))
            for byte in storable(element).utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// An array literal of numbers and other values that need no quotes.
    static func array(_ elements: some Sequence<some CustomStringConvertible>) -> String {
        "{" + elements.map(\.description).joined(separator: ",") + "}"
    }
}

/// The rows of a result, as text.
struct PostgresRows {
    var rows: [[String?]]

    /// The first column of the first row.
    var single: String? { rows.first?.first ?? nil }
    /// The first column of all rows.
    var column: [String] { rows.compactMap { $0.first ?? nil } }
}

extension [String?] {
    /// A column that the queue's functions never leave empty.
    ///
    /// - Throws: ``ServiceError`` with code `queue_unsuitable` if it is missing or not such a value.
    func value<Value>(_ column: Int, _ parse: (String) -> Value?) throws(ServiceError) -> Value {
        guard indices.contains(column), let text = self[column], let value = parse(text) else {
            throw ServiceError(
                .queueUnsuitable, "The fleet's database returned an unexpected value. Run `ferry fleet doctor`.")
        }
        return value
    }
}
