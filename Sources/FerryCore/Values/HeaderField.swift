// Ferry: FerryCore
// One field of a request or response head.

/// One field line of an HTTP head, in the order and spelling in which it was given (RFC 9110 §5).
package struct HeaderField: Hashable, Codable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this field has the given name; field names ignore case (RFC 9110 §5.1).
    package func isNamed(_ other: String) -> Bool {
        // Names are ASCII: no field of a head is worth two new strings.
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0 == $1 || Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
