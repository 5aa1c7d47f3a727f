/// The part of one connection of a running transfer. Positions are bytes from the beginning of the file.
package struct TransferSegment: Hashable, Codable, Sendable {
    package var start: Int64
    /// End of the part, exclusive.
    package var end: Int64
    /// End of the written bytes.
    package var position: Int64
    /// Index of the source: 0 is the transfer's own URL, followed by its mirrors. Nil from an older peer.
    package var source: Int?
    /// Bytes per second, or nil if unknown.
    package var bytesPerSecond: Double?

    package init(
        start: Int64, end: Int64, position: Int64, source: Int? = nil, bytesPerSecond: Double? = nil
    ) {
        self.start = start
        self.end = end
        self.position = position
        self.source = source
        self.bytesPerSecond = bytesPerSecond
    }

    private enum CodingKeys: String, CodingKey {
        case start, end, position, source
        case bytesPerSecond = "bytes_per_second"
    }
}
