package import FerryFoundation

/// Encodes values as JSON directly, without an intermediate tree.
///
/// An encoded type must finish a nested container before it continues with the enclosing one, as types that encode one
/// property after another do.
package struct JSONWriter: Sendable {
    /// The form of dates.
    package enum DateForm: Sendable {
        case number(@Sendable (Date) -> Int64)
        case text(@Sendable (Date) -> String)
    }

    /// The form of dates.
    package var date: DateForm
    /// Whether the keys of each object are sorted. Otherwise they are in encoding order.
    package var sortsKeys: Bool

    package init(date: DateForm, sortsKeys: Bool = false) {
        self.date = date
        self.sortsKeys = sortsKeys
    }

    /// Encodes a value as JSON.
    ///
    /// - Throws: The value's own errors, or `EncodingError` for a number without a JSON form.
    package func bytes(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput(date: date, sortsKeys: sortsKeys)
        try JSONValueEncoder(output: output).write(value)
        output.close(to: 0)
        return output.text.bytes
    }
}

/// The output shared by the encoders of one value.
final class JSONOutput {
    // Each call below is a single exclusive access. The steps inside are not checked individually.
    private(set) var text: JSONBuffer
    private let dateForm: JSONWriter.DateForm

    init(date: JSONWriter.DateForm, sortsKeys: Bool) {
        dateForm = date
        text = JSONBuffer(sortsKeys: sortsKeys)
    }

    var depth: Int { text.depth }

    func begin(isObject: Bool) { text.begin(isObject: isObject) }
    func close(to depth: Int) { text.close(to: depth) }
    func next(in depth: Int) { text.next(in: depth) }
    func key(_ name: String, in depth: Int) { text.key(name, in: depth) }
    func raw(_ raw: String) { text.raw(raw) }
    func number(_ value: some BinaryInteger) { text.number(value) }
    func number(_ value: Double, _ path: [any CodingKey]) throws { try text.number(value, path) }
    func string(_ value: String) { text.string(value) }

    func date(_ date: Date) {
        switch dateForm {
        case .number(let form): text.number(form(date))
        case .text(let form): text.string(form(date))
        }
    }
}

/// Encodes one value at the output's current position.
struct JSONValueEncoder: Encoder {
    let output: JSONOutput
    /// Number of containers around the value.
    private let depth: Int

    init(output: JSONOutput) {
        self.output = output
        depth = output.depth
    }

    /// Always empty: errors identify the value itself.
    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            JSONObjectContainer<Key>(output: output, depth: begin(isObject: true)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayContainer(output: output, depth: begin(isObject: false))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Begins the value's container. Asking again continues the existing one.
    private func begin(isObject: Bool) -> Int {
        output.close(to: depth + 1)
        if output.depth == depth { output.begin(isObject: isObject) }
        return depth + 1
    }

    /// Writes a value. Some types have a special JSON form.
    func write<Value: Encodable>(_ value: Value) throws {
        if Value.self == String.self, let text = value as? String {
            output.string(text)
        } else if Value.self == Date.self, let date = value as? Date {
            output.date(date)
        } else if Value.self == Data.self, let data = value as? Data {
            output.string(data.base64EncodedString())
        } else if Value.self == URL.self, let url = value as? URL {
            output.string(url.absoluteString)
        } else {
            try value.encode(to: self)
            output.close(to: depth)
        }
    }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { output.raw("null") }
    func encode(_ value: Bool) { output.raw(value ? "true" : "false") }
    func encode(_ value: String) { output.string(value) }
    func encode(_ value: Double) throws { try output.number(value, codingPath) }
    func encode(_ value: Float) throws { try output.number(Double(value), codingPath) }
    func encode(_ value: Int) { output.number(value) }
    func encode(_ value: Int8) { output.number(value) }
    func encode(_ value: Int16) { output.number(value) }
    func encode(_ value: Int32) { output.number(value) }
    func encode(_ value: Int64) { output.number(value) }
    func encode(_ value: UInt) { output.number(value) }
    func encode(_ value: UInt8) { output.number(value) }
    func encode(_ value: UInt16) { output.number(value) }
    func encode(_ value: UInt32) { output.number(value) }
    func encode(_ value: UInt64) { output.number(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try write(value) }
}

/// Writes keys in encoding order.
struct JSONObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    private func value(_ key: Key) -> JSONValueEncoder {
        output.key(key.stringValue, in: depth)
        return JSONValueEncoder(output: output)
    }

    func encodeNil(forKey key: Key) { value(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: UInt64, forKey key: Key) { self.value(key).encode(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.value(key).write(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { value(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { value(key).unkeyedContainer() }

    func superEncoder() -> any Encoder {
        output.key("super", in: depth)
        return JSONValueEncoder(output: output)
    }

    func superEncoder(forKey key: Key) -> any Encoder { value(key) }
}

/// Writes elements in encoding order.
struct JSONArrayContainer: UnkeyedEncodingContainer {
    // Three words: a larger container would be allocated for each array.
    let output: JSONOutput
    let depth: Int
    private(set) var count = 0

    init(output: JSONOutput, depth: Int) {
        self.output = output
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func next() -> JSONValueEncoder {
        output.next(in: depth)
        count += 1
        return JSONValueEncoder(output: output)
    }

    mutating func encodeNil() { next().encodeNil() }
    mutating func encode(_ value: Bool) { next().encode(value) }
    mutating func encode(_ value: String) { next().encode(value) }
    mutating func encode(_ value: Int64) { next().encode(value) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().write(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { next() }
}
