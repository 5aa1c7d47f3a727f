import Foundation

/// A JSON value, for a protocol of which the tests use a small part.
enum JSON: Hashable, Sendable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if box.decodeNil() {
            self = .null
        } else if let value = try? box.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? box.decode(Double.self) {
            self = .number(value)
        } else if let value = try? box.decode(String.self) {
            self = .text(value)
        } else if let value = try? box.decode([JSON].self) {
            self = .list(value)
        } else {
            self = .object(try box.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .null: try box.encodeNil()
        case .bool(let value): try box.encode(value)
        case .number(let value):
            // WebDriver requires an integer for a point of the window, not 12.0.
            if let whole = Int(exactly: value) { try box.encode(whole) } else { try box.encode(value) }
        case .text(let value): try box.encode(value)
        case .list(let value): try box.encode(value)
        case .object(let value): try box.encode(value)
        }
    }

    /// Returns an object's member, or null if there is none.
    subscript(name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    func has(_ name: String) -> Bool { if case .object(let members) = self { members[name] != nil } else { false } }

    /// Returns an object with another member.
    func with(_ name: String, _ value: JSON) -> JSON {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }

    var count: Int { if case .object(let members) = self { members.count } else { items.count } }

    subscript(place: Int) -> JSON { items.indices.contains(place) ? items[place] : .null }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var isTrue: Bool { self == .bool(true) }
    var items: [JSON] { if case .list(let value) = self { value } else { [] } }
    var strings: [String] { items.compactMap(\.text) }
    /// The single member of an object that represents an element.
    var first: String? { if case .object(let members) = self { members.values.first?.text } else { nil } }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral elements: JSON...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
}
