import FerryCore
import RawStructuredFieldValues

/// Structured fields (RFC 9651). A malformed field counts as absent.
enum StructuredField {
    /// Maximum length in bytes. The parser compares each key of a dictionary with all keys before it.
    private static let maximumLength = 4096

    /// The members of a dictionary with a single value, in order. Parameters are ignored, and the last of several members
    /// with one key counts.
    static func dictionary(_ text: String) -> [(key: String, value: RFC9651BareItem)] {
        guard var parser = parser(text), let members = try? parser.parseDictionaryFieldValue() else { return [] }
        return members.compactMap { key, value in
            guard case .item(let item) = value else { return nil }
            return (key, item.rfc9651BareItem)
        }
    }

    /// The value of an item, without its parameters.
    static func item(_ text: String) -> RFC9651BareItem? {
        guard var parser = parser(text) else { return nil }
        return try? parser.parseItemFieldValue().rfc9651BareItem
    }

    private static func parser(_ text: String) -> StructuredFieldValueParser<[UInt8]>? {
        let bytes = Array(text.utf8)
        return bytes.count <= maximumLength ? StructuredFieldValueParser(bytes) : nil
    }
}
