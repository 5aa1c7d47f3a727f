/// A JSON value of a request or a response.
///
/// Numbers are kept as text, so that an id is returned exactly as the client wrote it, however large it is.
package enum RPCValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([RPCValue])
    case object([String: RPCValue])
    /// The bytes of a value that is already serialized. Never occurs in a request.
    case written([UInt8])
}

extension RPCValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral text: String) { self = .string(text) }
    package init(arrayLiteral values: RPCValue...) { self = .array(values) }
    package init(dictionaryLiteral pairs: (String, RPCValue)...) {
        self = .object(Dictionary(pairs, uniquingKeysWith: { _, last in last }))
    }
}

extension RPCValue {
    /// Returns a number as a string, the form of most results.
    static func digits(_ number: some BinaryInteger) -> RPCValue { .string(number.description) }

    /// Returns a JSON number, the form of a few results.
    static func integer(_ number: Int) -> RPCValue { .number(number.description) }

    /// Returns the string "true" or "false".
    static func word(_ isTrue: Bool) -> RPCValue { .string(isTrue ? "true" : "false") }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var elements: [RPCValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var members: [String: RPCValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The value as an integer, or `nil` if it is not a whole number within the range of `Int`.
    var wholeNumber: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// The text of a string, number or Boolean. aria2's clients write options in any of these forms.
    var liberalText: String? {
        switch self {
        case .string(let text): text
        case .number(let text): text
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .null, .array, .object, .written: nil
        }
    }
}
