// Ferry: FerryCore
// What one of several connections fetches, as it is shown.

/// What one of several connections of a running transfer fetches. Positions are bytes from the beginning of the file.
package struct TransferSegment: Hashable, Codable, Sendable {
    package var start: Int64
    /// The end of the part, which it does not include.
    package var end: Int64
    /// The end of what is written of it.
    package var position: Int64

    package init(start: Int64, end: Int64, position: Int64) {
        self.start = start
        self.end = end
        self.position = position
    }
}
