import FerryCore

/// Parses JSON (RFC 8259) from a client that may be hostile.
///
/// Depth and size are limited, so that no input can exhaust the daemon's stack or memory. If an object repeats a key,
/// the last value is used.
struct RPCValueReader {
    /// The input is invalid or exceeds a limit.
    struct Fault: Error {}

    /// Maximum nesting depth of arrays and objects.
    static let deepest = 64
    static let mostBytes = 2 << 20

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: ``Fault`` unless the bytes are exactly one JSON value within the limits.
    static func read(_ bytes: [UInt8]) throws(Fault) -> RPCValue {
        guard bytes.count <= mostBytes else { throw Fault() }
        var reader = RPCValueReader(bytes)
        let value = try reader.value()
        reader.skipSpace()
        guard reader.index == bytes.count else { throw Fault() }
        return value
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    /// Skips white space, then consumes the next byte if it matches. Returns whether it did.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value() throws(Fault) -> RPCValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try container { (reader) throws(Fault) in .object(try reader.members()) }
        case UInt8(ascii: "["): return try container { (reader) throws(Fault) in .array(try reader.elements()) }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func container(
        _ body: (inout RPCValueReader) throws(Fault) -> RPCValue
    ) throws(Fault) -> RPCValue {
        guard depth < Self.deepest else { throw Fault() }
        index += 1
        depth += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func elements() throws(Fault) -> [RPCValue] {
        var elements: [RPCValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw Fault() }
        return elements
    }

    private mutating func members() throws(Fault) -> [String: RPCValue] {
        var members: [String: RPCValue] = [:]
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw Fault() }
            let key = try string()
            guard take(UInt8(ascii: ":")) else { throw Fault() }
            members[key] = try value()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw Fault() }
        return members
    }

    private mutating func word(_ word: String, _ value: RPCValue) throws(Fault) -> RPCValue {
        guard bytes[index...].starts(with: word.utf8) else { throw Fault() }
        index += word.utf8.count
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(Fault) -> String {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        if next == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(Fault) {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw Fault() }
    }

    // MARK: Strings

    private mutating func string() throws(Fault) -> String {
        index += 1
        var text: [UInt8] = []
        var start = index
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[start..<index]
                index += 1
                guard let text = String(validating: text, as: UTF8.self) else { throw Fault() }
                return text
            case UInt8(ascii: "\\"):
                text += bytes[start..<index]
                index += 1
                text += try escaped()
                start = index
            case ..<0x20: throw Fault()
            default: index += 1
            }
        }
        throw Fault()
    }

    /// Reads the part of an escape sequence after the backslash and returns its UTF-8.
    private mutating func escaped() throws(Fault) -> [UInt8] {
        guard let byte = next else { throw Fault() }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw Fault()
        }
    }

    /// Reads the scalar after `\u`: four digits, or a surrogate pair. Rejects an unpaired surrogate.
    private mutating func scalar() throws(Fault) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xD800..<0xDC00).contains(unit), next == UInt8(ascii: "\\") else { throw Fault() }
        index += 1
        guard next == UInt8(ascii: "u") else { throw Fault() }
        index += 1
        let low = try codeUnit()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw Fault() }
        return scalar
    }

    private mutating func codeUnit() throws(Fault) -> UInt32 {
        guard bytes.count - index >= 4, bytes[index..<index + 4].allSatisfy(\.isHexadecimalDigit),
            let unit = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw Fault() }
        index += 4
        return unit
    }
}
