/// The output so far, and the open containers.
struct JSONBuffer {
    private struct Container {
        let isObject: Bool
        /// Offset of its first element.
        let start: Int
        /// Index of its first key among those of all open objects.
        let firstKey: Int
        var isEmpty = true
        var isSorted = true
    }

    private(set) var bytes: [UInt8] = []
    private var containers: [Container] = []
    /// Keys and offsets in the open objects, outermost first, if keys are sorted.
    private var keys: [(name: String, start: Int)] = []
    private let sortsKeys: Bool

    init(sortsKeys: Bool) {
        self.sortsKeys = sortsKeys
        bytes.reserveCapacity(512)
    }

    var depth: Int { containers.count }

    mutating func begin(isObject: Bool) {
        bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        containers.append(Container(isObject: isObject, start: bytes.count, firstKey: keys.count))
    }

    /// Closes the containers nested in the one at a depth.
    mutating func close(to depth: Int) {
        while containers.count > depth {
            let container = containers.removeLast()
            if !container.isSorted { sort(container) }
            if keys.count > container.firstKey { keys.removeSubrange(container.firstKey...) }
            bytes.append(container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }
    }

    /// Begins the next element of the container at a depth.
    mutating func next(in depth: Int) {
        close(to: depth)
        if !containers[depth - 1].isEmpty { bytes.append(UInt8(ascii: ",")) }
        containers[depth - 1].isEmpty = false
    }

    mutating func key(_ name: String, in depth: Int) {
        next(in: depth)
        if sortsKeys {
            if keys.count > containers[depth - 1].firstKey, let last = keys.last, name < last.name {
                containers[depth - 1].isSorted = false
            }
            keys.append((name, bytes.count))
        }
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Sorts the elements of a complete object by key.
    private mutating func sort(_ container: Container) {
        let keys = keys[container.firstKey...]
        let ends = keys.dropFirst().map { $0.start - 1 } + [bytes.count]
        let elements = zip(keys, ends).sorted { $0.0.name < $1.0.name }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(bytes.count - container.start)
        for (key, end) in elements {
            if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
            sorted.append(contentsOf: bytes[key.start..<end])
        }
        bytes.replaceSubrange(container.start..., with: sorted)
    }

    // MARK: Values

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func number(_ value: some BinaryInteger) { bytes.append(contentsOf: value.description.utf8) }

    mutating func number(_ value: Double, _ path: [any CodingKey]) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: path, debugDescription: "JSON has no form of \(value)."))
        }
        if let whole = Int64(exactly: value) { return number(whole) }
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func string(_ text: String) { bytes.appendJSONString(text) }
}
