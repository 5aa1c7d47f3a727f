/// One JSON value of a request or an answer.
///
/// A number is kept as its text, so that an id comes back exactly as the client wrote it, however large it is.
package enum RPCValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([RPCValue])
    case object([String: RPCValue])
    /// The bytes of a value that has been written already; no request has one.
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
    /// A number as most results have it: in a string.
    static func digits(_ number: some BinaryInteger) -> RPCValue { .string(number.description) }

    /// A number as the few results have it that are numbers.
    static func integer(_ number: Int) -> RPCValue { .number(number.description) }

    /// "true" or "false".
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

    /// The whole number that this is; nil for anything else and for a number that no `Int` holds.
    var wholeNumber: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// The text of a string, a number or a truth value: aria2's clients write options in all of these forms.
    var liberalText: String? {
        switch self {
        case .string(let text): text
        case .number(let text): text
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .null, .array, .object, .written: nil
        }
    }
}
