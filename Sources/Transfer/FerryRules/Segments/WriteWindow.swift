/// The range of a file that one response may write, and its progress.
///
/// One writer claims bytes, writes them, and settles them. A write may take arbitrarily long. Others read the window
/// meanwhile, lower its limit or close it, without waiting for the write.
package struct WriteWindow: Hashable, Sendable {
    /// End of the written bytes.
    package private(set) var position: Int64
    /// End of the window. No byte at or beyond it is written.
    package private(set) var limit: Int64
    /// Number of bytes dropped beyond the limit.
    package private(set) var excess: Int64 = 0
    package private(set) var isClosed = false
    /// End of the bytes being written, or the position if none are.
    private var claimed: Int64

    package init(from position: Int64, limit: Int64) {
        self.position = position
        self.limit = limit
        claimed = position
    }

    /// Number of bytes that may still be written.
    package var room: Int64 { max(0, limit - position) }

    /// Claims as many of `count` bytes as may be written, from the position on. The others count as excess.
    ///
    /// - Returns: The number of claimed bytes. 0 once the window is closed.
    package mutating func claim(_ count: Int) -> Int {
        guard !isClosed else { return 0 }
        let wanted = Int(min(Int64(count), room))
        excess += Int64(count - wanted)
        claimed = position + Int64(wanted)
        return wanted
    }

    /// Records that the claimed bytes are written, or that the write failed and they are invalid.
    package mutating func settle(isWritten: Bool) {
        if isWritten { position = claimed } else { claimed = position }
    }

    /// Lowers the limit.
    ///
    /// - Returns: False, with nothing changed, if bytes beyond the new limit are written or being written.
    package mutating func lower(to limit: Int64) -> Bool {
        guard claimed <= limit else { return false }
        self.limit = min(self.limit, limit)
        return true
    }

    /// Closes the window: nothing more can be claimed.
    ///
    /// - Returns: The end of written bytes and bytes being written.
    package mutating func close() -> Int64 {
        isClosed = true
        return claimed
    }
}
