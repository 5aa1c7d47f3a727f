import FerryCore

/// A download's identifier for clients: the transfer's id, or 16 hexadecimal digits chosen by the client.
enum GID {
    static let digits = 16

    /// Parses a gid or a prefix of one, in lower case.
    ///
    /// - Throws: ``RPCFault`` if the text is not the prefix of a gid.
    static func parse(_ text: String) throws(RPCFault) -> String {
        guard (1...digits).contains(text.utf8.count), text.utf8.allSatisfy(\.isHexadecimalDigit) else {
            throw .invalidGID(String(text.prefix(64)))
        }
        return text.lowercased()
    }

    /// Parses a gid that a client chose for a new transfer.
    ///
    /// - Throws: ``RPCFault`` unless it has 16 digits that are not all 0.
    static func custom(_ text: String) throws(RPCFault) -> String {
        let gid = try parse(text)
        guard gid.utf8.count == digits, TransferID(gid)?.rawValue != 0 else { throw .invalidGID(gid) }
        return gid
    }

    /// Returns the tag that identifies a transfer by its chosen gid. For a prefix of a gid, returns the prefix of the
    /// tag.
    static func tag(_ gid: String) -> String { "gid:\(gid)" }

    /// Returns the ids with this prefix, or `nil` if the text is not the prefix of an id.
    static func ids(beginning prefix: String) -> ClosedRange<TransferID>? {
        let missing = digits - prefix.utf8.count
        guard missing >= 0, let first = TransferID(prefix + String(repeating: "0", count: missing)),
            let last = TransferID(prefix + String(repeating: "f", count: missing))
        else { return nil }
        return first...last
    }
}
