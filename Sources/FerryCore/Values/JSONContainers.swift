// Ferry: FerryCore
// Objects and arrays on their way to JSON.

/// An object whose keys are written as they come.
struct JSONObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let codingPath: [any CodingKey]
    let depth: Int

    private func value(_ key: Key) -> JSONValueEncoder {
        output.key(key.stringValue, in: depth)
        return JSONValueEncoder(output: output, codingPath: codingPath)
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
        return JSONValueEncoder(output: output, codingPath: codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder { value(key) }
}

/// An array whose elements are written as they come.
struct JSONArrayContainer: UnkeyedEncodingContainer {
    let output: JSONOutput
    let codingPath: [any CodingKey]
    let depth: Int
    private(set) var count = 0

    init(output: JSONOutput, codingPath: [any CodingKey], depth: Int) {
        self.output = output
        self.codingPath = codingPath
        self.depth = depth
    }

    private mutating func next() -> JSONValueEncoder {
        output.next(in: depth)
        count += 1
        return JSONValueEncoder(output: output, codingPath: codingPath)
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
