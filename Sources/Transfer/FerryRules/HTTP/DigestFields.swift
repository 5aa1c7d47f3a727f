package import FerryCore
import FerryFoundation

/// The SHA-256 and SHA-512 digests of a response head.
///
/// Malformed fields and other algorithms are ignored.
package struct DigestFields: Hashable, Sendable {
    /// Digests of the whole file: `Repr-Digest` (RFC 9530), else `Digest` (RFC 3230).
    package let representation: [Checksum]
    /// Digests of this response's content: `Content-Digest` (RFC 9530).
    package let content: [Checksum]

    package init(_ head: ResponseHead) {
        var representation = head.value("Repr-Digest").map(Self.dictionary) ?? []
        for older in head.value("Digest").map(Self.instanceDigests) ?? []
        where !representation.contains(where: { $0.algorithm == older.algorithm }) {
            representation.append(older)
        }
        self.representation = representation
        self.content = head.value("Content-Digest").map(Self.dictionary) ?? []
    }

    /// Parses a structured dictionary of byte sequences.
    static func dictionary(_ text: String) -> [Checksum] {
        var parser = StructuredDictionary(text)
        guard let members = parser.byteSequences() else { return [] }
        return members.compactMap { checksum(key: $0.key, base64: $0.base64) }
    }

    /// Parses `SHA-256=base64, …` with case-insensitive names.
    static func instanceDigests(_ text: String) -> [Checksum] {
        var found: [Checksum] = []
        for member in text.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2,
                let checksum = checksum(
                    key: String(parts[0]).trimmingFieldSpace.lowercased(), base64: String(parts[1]).trimmingFieldSpace),
                !found.contains(where: { $0.algorithm == checksum.algorithm })
            else { continue }
            found.append(checksum)
        }
        return found
    }

    private static func checksum(key: String, base64: String) -> Checksum? {
        let algorithm: DigestAlgorithm
        switch key {
        case "sha-256": algorithm = .sha256
        case "sha-512": algorithm = .sha512
        default: return nil
        }
        // Padding may be left out (RFC 9651 §4.2.7).
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: base64 + padding), bytes.count == algorithm.byteCount else { return nil }
        return Checksum(algorithm, bytes: bytes)
    }
}

/// Parses a structured dictionary (RFC 9651 §4.2.2) for byte sequences or numbers. Other values are validated and
/// skipped.
struct StructuredDictionary {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    /// The members with byte sequences, still in base64, or nil if the field is malformed.
    ///
    /// The last of several members with one key counts.
    mutating func byteSequences() -> [(key: String, base64: String)]? {
        members()?.compactMap { if case .bytes(let base64) = $0.value { ($0.key, base64) } else { nil } }
    }

    /// The members with non-negative integers, or nil if the field is malformed.
    ///
    /// The last of several members with one key counts.
    mutating func naturals() -> [String: Int64]? {
        guard let members = members() else { return nil }
        var naturals: [String: Int64] = [:]
        for (key, value) in members {
            // Numbers have at most fifteen digits (RFC 9651 §3.3.1).
            if case .plain(let text) = value, text.utf8.count <= 15, text.utf8.allSatisfy(\.isDigit) {
                naturals[key] = Int64(text)
            }
        }
        return naturals
    }

    private mutating func members() -> [(key: String, value: Value)]? {
        var members: [(key: String, value: Value)] = []
        skip { $0 == .space }
        while !rest.isEmpty {
            guard let key = key() else { return nil }
            members.removeAll { $0.key == key }
            if take(UInt8(ascii: "=")) {
                guard let value = value() else { return nil }
                members.append((key, value))
            }
            guard parameters() else { return nil }
            skip { $0 == .space || $0 == .tab }
            if rest.isEmpty { return members }
            guard take(UInt8(ascii: ",")) else { return nil }
            skip { $0 == .space || $0 == .tab }
            // A trailing comma is malformed.
            if rest.isEmpty { return nil }
        }
        return members
    }

    private enum Value {
        case bytes(String)
        /// A token or a number.
        case plain(String)
        case other
    }

    private mutating func value() -> Value? {
        take(UInt8(ascii: "(")) ? innerList() : bareItem()
    }

    private mutating func innerList() -> Value? {
        while true {
            skip { $0 == .space }
            if take(UInt8(ascii: ")")) { return .other }
            guard bareItem() != nil, parameters() else { return nil }
            guard let next = rest.first, next == .space || next == UInt8(ascii: ")") else { return nil }
        }
    }

    private mutating func bareItem() -> Value? {
        if take(UInt8(ascii: ":")) {
            let base64 = taken { $0.isBase64 }
            return take(UInt8(ascii: ":")) ? .bytes(base64) : nil
        }
        if take(UInt8(ascii: "\"")) { return string() }
        let text = taken { $0.isTokenOrNumber }
        return text.isEmpty ? nil : .plain(text)
    }

    private mutating func string() -> Value? {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return .other
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
            case 0x20...0x7E: continue
            default: return nil
            }
        }
        return nil
    }

    private mutating func parameters() -> Bool {
        while take(UInt8(ascii: ";")) {
            skip { $0 == .space }
            guard key() != nil else { return false }
            if take(UInt8(ascii: "=")), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func key() -> String? {
        guard let first = rest.first, first.isLowerCase || first == UInt8(ascii: "*") else { return nil }
        return taken { $0.isLowerCase || $0.isDigit || "_-.*".utf8.contains($0) }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private mutating func taken(_ isTaken: (UInt8) -> Bool) -> String {
        let run = rest.prefix(while: isTaken)
        rest = rest[run.endIndex...]
        return String(Substring(run))
    }
}

extension UInt8 {
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let tab: UInt8 = 0x09

    fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    fileprivate var isLowerCase: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    fileprivate var isLetter: Bool { isLowerCase || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
    fileprivate var isBase64: Bool { isLetter || isDigit || "+/=".utf8.contains(self) }
    /// The characters of tokens, numbers, booleans (`?1`), dates (`@0`) and display strings, which are skipped.
    fileprivate var isTokenOrNumber: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~:/?@".utf8.contains(self) }
}
