// Ferry: Ferry
// An entry of the log.

/// An entry of the log.
public enum LogType: Sendable {
    case sessionManager(_ message: String, manager: SessionManager)
    case downloadTask(_ message: String, task: DownloadTask)
    case error(_ message: String, error: any Error)
}
