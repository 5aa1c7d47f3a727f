// Ferry: FerryCore
// How many connections are opened before the first answer.

/// How many connections are opened before the first answer says whether several may share the file.
///
/// Each of them saves its first part a handshake. They are opened only where the user gave a number, and where nothing that
/// is known before the answer speaks against their use.
package struct EarlyOpening: Hashable, Sendable {
    /// The number of connections that the user gave.
    package var wanted: Int?
    /// Bytes to come, as far as they are known.
    package var missing: Int64?
    /// Whether the request is of the kind whose answer may be shared.
    package var isSharable: Bool
    /// Whether those that were last opened early to the origin were not needed.
    package var wasInVain: Bool

    package init(wanted: Int?, missing: Int64? = nil, isSharable: Bool = true, wasInVain: Bool = false) {
        self.wanted = wanted
        self.missing = missing
        self.isSharable = isSharable
        self.wasInVain = wasInVain
    }

    /// Connections to open beside that of the first request.
    package var count: Int {
        guard let wanted, isSharable, !wasInVain, missing ?? .max >= SegmentRule.worthSharing else { return 0 }
        return max(0, wanted - 1)
    }
}
