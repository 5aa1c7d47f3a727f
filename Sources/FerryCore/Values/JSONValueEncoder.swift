// Ferry: FerryCore
// One value on its way to JSON.

import Foundation

/// Encodes one value at the place that the output has reached.
struct JSONValueEncoder: Encoder {
    let output: JSONOutput
    let codingPath: [any CodingKey]
    /// How many containers are around the value.
    private let depth: Int

    init(output: JSONOutput, codingPath: [any CodingKey]) {
        self.output = output
        self.codingPath = codingPath
        depth = output.depth
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            JSONObjectContainer<Key>(output: output, codingPath: codingPath, depth: begin(isObject: true)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayContainer(output: output, codingPath: codingPath, depth: begin(isObject: false))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Begins the value's container; a value that asks again goes on with the one it has.
    private func begin(isObject: Bool) -> Int {
        output.close(to: depth + 1)
        if output.depth == depth { output.begin(isObject: isObject) }
        return depth + 1
    }

    /// Writes a value; some types have a form of their own in JSON.
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
