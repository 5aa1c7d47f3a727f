/// The output so far, and the open containers.
struct JSONText {
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

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isPlain =
            unsafe text.utf8.withContiguousStorageIfAvailable { unsafe !$0.contains(where: Self.isEscaped) } ?? false
        if isPlain {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 {
                if Self.isEscaped(byte) { escape(byte) } else { bytes.append(byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes an escaped character, in its short form if it has one (RFC 8259 section 7).
    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x08: raw(#"\b"#)
        case 0x09: raw(#"\t"#)
        case 0x0A: raw(#"\n"#)
        case 0x0C: raw(#"\f"#)
        case 0x0D: raw(#"\r"#)
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            raw(#"\u00"#)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
    }
}

/// JSON strings.
extension String {
    /// Appends a text as a JSON string.
    package mutating func appendQuoted(_ text: String) {
        append("\"")
        if text.isPlainInJSON {
            append(text)
        } else {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": append("\\\"")
                case "\\": append("\\\\")
                case "\u{0}"..<" ":
                    let digits = String(scalar.value, radix: 16)
                    append("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
                default: unicodeScalars.append(scalar)
                }
            }
        }
        append("\"")
    }
}

extension StringProtocol {
    /// Whether the text needs no escaping.
    package var isPlainInJSON: Bool {
        utf8.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
