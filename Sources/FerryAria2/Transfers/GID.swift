import FerryCore

/// What a client calls a transfer by: the transfer's id, or 16 hexadecimal digits that the client has chosen.
enum GID {
    static let digits = 16

    /// A gid in lower case, or the beginning of one.
    ///
    /// - Throws: ``RPCFault`` for a text that begins no gid.
    static func parse(_ text: String) throws(RPCFault) -> String {
        guard (1...digits).contains(text.utf8.count), text.utf8.allSatisfy(\.isHexadecimalDigit) else {
            throw .invalidGID(String(text.prefix(64)))
        }
        return text.lowercased()
    }

    /// A gid that a client wishes for a new transfer.
    ///
    /// - Throws: ``RPCFault`` for anything but 16 digits that are not all 0.
    static func wished(_ text: String) throws(RPCFault) -> String {
        let gid = try parse(text)
        guard gid.utf8.count == digits, TransferID(gid)?.rawValue != 0 else { throw .invalidGID(gid) }
        return gid
    }

    /// The tag by which a transfer is found whose gid was chosen; of a beginning, the beginning of the tag.
    static func tag(_ gid: String) -> String { "gid:\(gid)" }

    /// The ids that begin so; nil for a text that begins none.
    static func ids(beginning prefix: String) -> ClosedRange<TransferID>? {
        let missing = digits - prefix.utf8.count
        guard missing >= 0, let first = TransferID(prefix + String(repeating: "0", count: missing)),
            let last = TransferID(prefix + String(repeating: "f", count: missing))
        else { return nil }
        return first...last
    }
}
