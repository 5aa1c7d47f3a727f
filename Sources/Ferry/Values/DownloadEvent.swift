public import Foundation

/// What happens to a download.
public enum DownloadEvent: Sendable {
    case state(Status, WaitingReason?)
    /// A response whose body is the file.
    case response(status: Int, headers: HTTPHeaders)
    /// The bytes so far were given up, since the server has another version of the file.
    case restarted(reason: String)
    case progress(DownloadProgress)
    /// The file is whole and durable; the last event.
    case succeeded(URL)
    /// The last event.
    case failed(FerryError)
    /// The last event.
    case canceled
    /// The last event.
    case removed
}

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
