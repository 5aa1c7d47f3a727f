import BackgroundURLSession
import Synchronization
import TestAppKit

/// Logs every delegate call, and moves finished files to the folder named by `OUTPUT`.
final class SessionObserver: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    private let story: Story
    private let finished: @Sendable () -> Void
    /// Whether the process exits inside the first completion callback.
    private let endsAtCompletion: Bool
    private let completed = Mutex<[Int]>([])
    private let received = Mutex<[Int: Int]>([:])
    private let ends = Atomic(0)
    /// Yields an element once calls were received since the last element.
    let calls: AsyncStream<Void>
    private let call: AsyncStream<Void>.Continuation

    init(story: Story, endsAtCompletion: Bool, finished: @escaping @Sendable () -> Void) {
        self.story = story
        self.endsAtCompletion = endsAtCompletion
        self.finished = finished
        (calls, call) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Number of `urlSessionDidFinishEvents` calls.
    var finishes: Int { ends.load(ordering: .sequentiallyConsistent) }

    /// Numbers of the completed tasks.
    var completions: [Int] { completed.withLock { $0 } }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { call.yield() }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let folder = ProcessInfo.processInfo.environment["OUTPUT"] ?? NSTemporaryDirectory()
        let target = URL(fileURLWithPath: "\(folder)/\(downloadTask.taskIdentifier).bin")
        do {
            try FileManager.default.moveItem(at: location, to: target)
            story.add("finished", downloadTask.taskIdentifier)
        } catch {
            story.add("finished-but", downloadTask.taskIdentifier, error)
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        story.add("resumed-at", downloadTask.taskIdentifier, fileOffset, expectedTotalBytes)
        call.yield()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.withLock { $0[dataTask.taskIdentifier, default: 0] += data.count }
        call.yield()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let bytes = received.withLock { $0[task.taskIdentifier] }.map { "received=\($0)" } ?? ""
        if let error = error as? URLError {
            let reason = error.backgroundTaskCancelledReason.map { "reason=\($0.rawValue)" } ?? "reason=-"
            let data = error.downloadTaskResumeData
            if let data, let folder = ProcessInfo.processInfo.environment["OUTPUT"] {
                _ = FileManager.default.createFile(atPath: "\(folder)/\(task.taskIdentifier).resume", contents: data)
            }
            story.add("completed", task.taskIdentifier, error.code.rawValue, reason, data == nil ? "no-data" : "data")
        } else if let error {
            story.add("completed", task.taskIdentifier, error)
        } else {
            story.add("completed", task.taskIdentifier, "nil", bytes)
        }
        if endsAtCompletion { exit(0) }
        completed.withLock { $0.append(task.taskIdentifier) }
        call.yield()
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        story.add("events-finished", session.configuration.identifier ?? "-")
        ends.add(1, ordering: .sequentiallyConsistent)
        call.yield()
        finished()
    }
}
