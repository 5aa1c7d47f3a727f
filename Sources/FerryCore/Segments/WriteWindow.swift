/// How far one response may be written to its file, and how far it has been.
///
/// One writer claims bytes, writes them, and settles them. A write may take as long as the disk likes: others look at the
/// window meanwhile, end it earlier or close it, and never wait for the write.
package struct WriteWindow: Hashable, Sendable {
    /// The end of what has been written.
    package private(set) var position: Int64
    /// No byte at or after this position is written.
    package private(set) var limit: Int64
    /// Bytes that arrived beyond the limit and were dropped.
    package private(set) var excess: Int64 = 0
    package private(set) var isClosed = false
    /// The end of what is being written; the position while nothing is.
    private var claimed: Int64

    package init(from position: Int64, limit: Int64) {
        self.position = position
        self.limit = limit
        claimed = position
    }

    /// Bytes that may still be written.
    package var room: Int64 { max(0, limit - position) }

    /// Claims as many of some bytes as may be written, from the position on; the others count as excess.
    ///
    /// - Returns: how many; 0 once the window is closed.
    package mutating func claim(_ count: Int) -> Int {
        guard !isClosed else { return 0 }
        let wanted = Int(min(Int64(count), room))
        excess += Int64(count - wanted)
        claimed = position + Int64(wanted)
        return wanted
    }

    /// Takes note that what was claimed has been written, or that it may not have been and is no data.
    package mutating func settle(isWritten: Bool) {
        if isWritten { position = claimed } else { claimed = position }
    }

    /// Ends the window earlier.
    ///
    /// - Returns: false if bytes behind the new limit are written or being written; then nothing has changed.
    package mutating func lower(to limit: Int64) -> Bool {
        guard claimed <= limit else { return false }
        self.limit = min(self.limit, limit)
        return true
    }

    /// Lets nothing more be claimed.
    ///
    /// - Returns: the end of what is written, and of what is being written.
    package mutating func close() -> Int64 {
        isClosed = true
        return claimed
    }
}
