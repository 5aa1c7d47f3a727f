import FerryURLSession
import FerryTesting
import Foundation
import Synchronization

/// Records each task's delegate calls, and the digests of its downloaded files.
final class TransferWitness: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
    struct Story: Sendable {
        var calls: [String] = []
        var digest: String?
        var data = Data()
        var written: [Int64] = []
        var offsets: [Int64] = []
        var error: URLError?
        var otherError: String?
        var isOver = false
        var place: URL?
        /// Whether the file existed in the completion callback.
        var hadFile = false
    }

    private let state = Mutex<[Int: Story]>([:])
    private let finishes = Mutex(0)
    /// Called in `didFinishDownloadingTo`.
    private let onFile: @Sendable (URL) -> Void

    init(onFile: @escaping @Sendable (URL) -> Void = { _ in }) { self.onFile = onFile }

    subscript(_ task: Int) -> Story { state.withLock { $0[task] ?? Story() } }
    /// Number of `urlSessionDidFinishEvents` calls.
    var finishedEvents: Int { finishes.withLock { $0 } }

    private func note(_ task: URLSessionTask, _ change: (inout Story) -> Void) {
        state.withLock { change(&$0[task.taskIdentifier, default: Story()]) }
    }

    /// Waits until the task has completed.
    func end(of task: URLSessionTask) async throws -> Story {
        try await eventually("task \(task.taskIdentifier) completes") { self[task.taskIdentifier].isOver }
        return self[task.taskIdentifier]
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let digest = try? FileDigest.sha256(location.path)
        note(downloadTask) { story in
            story.calls.append("file")
            story.digest = digest
            story.place = location
        }
        onFile(location)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { note(downloadTask) { $0.written.append(totalBytesWritten) } }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { note(downloadTask) { $0.offsets.append(fileOffset) } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(dataTask) { story in
            if story.calls.last != "data" { story.calls.append("data") }
            story.data += data
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note(task) { $0.calls.append("metrics") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note(task) { story in
            story.calls.append("completed")
            story.hadFile = story.place.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
            story.error = error as? URLError
            if let error, story.error == nil { story.otherError = "\(error)" }
            story.isOver = true
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { finishes.withLock { $0 += 1 } }
}
