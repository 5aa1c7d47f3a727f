public import Foundation

/// An event of a download.
public enum DownloadEvent: Sendable {
    case state(Status, WaitingReason?)
    /// A response whose body is the file.
    case response(status: Int, headers: HTTPHeaders)
    /// The bytes so far were dropped, because the server has another version of the file.
    case restarted(reason: String)
    case progress(DownloadProgress)
    /// The file is complete and durable. The last event.
    case succeeded(URL)
    /// The last event.
    case failed(FerryError)
    /// The last event.
    case canceled
    /// The last event.
    case removed
}

/// The progress of one download, or of several together.
public struct DownloadProgress: Equatable, Sendable {
    public let receivedBytes: Int64
    /// Total size in bytes, or nil if unknown.
    public let expectedBytes: Int64?
    /// Bytes received in the last second.
    public let bytesPerSecond: Int64
    /// Time until the end at the current speed, or nil if unknown.
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
