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
        name.utf8.elementsEqual(other.utf8) || name.lowercased() == other.lowercased()
    }
}
