// Ferry: Ferry
// What happens to a download.

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
