// Ferry: Ferry
// How far a download is.

/// How far a download, or several together, are.
public struct DownloadProgress: Equatable, Sendable {
    public let receivedBytes: Int64
    /// Bytes of the whole; nil if they are not known.
    public let expectedBytes: Int64?
    /// Bytes of the last second.
    public let bytesPerSecond: Int64
    /// Time until the end at this speed; nil if it is not known.
    public let timeRemaining: Duration?

    public init(
        receivedBytes: Int64, expectedBytes: Int64?, bytesPerSecond: Int64 = 0, timeRemaining: Duration? = nil
    ) {
        self.receivedBytes = receivedBytes
        self.expectedBytes = expectedBytes
        self.bytesPerSecond = bytesPerSecond
        self.timeRemaining = timeRemaining
    }
}
