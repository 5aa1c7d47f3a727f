// Ferry: FerryURLSession
// What a session tells about a download task.

public import Foundation

/// What a session tells about a download task; called on the session's delegate queue.
@preconcurrency public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The file is whole. Move or read it before this method returns: then it is removed.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

    /// Bytes have arrived; at most ten times a second for a task. The expected total is -1 while it is not known.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// The task goes on at an offset, or begins again at 0.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { DelegateProbe.markMissing() }

    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { DelegateProbe.markMissing() }
}
