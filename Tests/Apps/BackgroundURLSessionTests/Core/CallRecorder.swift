import FerryURLSession
import Foundation
import Synchronization

/// Records the calls of a session's delegate, in order.
///
/// Implements neither challenges nor redirects. Tests of these have their own delegates.
final class CallRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    typealias Answer = @Sendable (URLSession.ResponseDisposition) -> Void

    private struct State {
        var calls: [String] = []
        var queues: [OperationQueue?] = []
        var running = 0
        var mostRunning = 0
    }

    private let state = Mutex(State())
    /// Receives the completion handler of `didReceive response`. `nil` allows each response at once.
    private let onResponse: (@Sendable (@escaping Answer) -> Void)?
    /// Runs within every call, on its thread.
    private let during: (@Sendable (String, URLSessionTask?) -> Void)?

    init(
        onResponse: (@Sendable (@escaping Answer) -> Void)? = nil,
        during: (@Sendable (String, URLSessionTask?) -> Void)? = nil
    ) {
        self.onResponse = onResponse
        self.during = during
    }

    var calls: [String] { state.withLock(\.calls) }
    /// The current operation queue of each call.
    var queues: [OperationQueue?] { state.withLock(\.queues) }
    /// Maximum number of concurrent calls.
    var mostRunning: Int { state.withLock(\.mostRunning) }
    var hasCompleted: Bool { calls.contains { $0.hasPrefix("completed") } }

    private func note(_ call: String, _ task: URLSessionTask? = nil) {
        state.withLock { state in
            state.calls.append(call)
            state.queues.append(OperationQueue.current)
            state.running += 1
            state.mostRunning = max(state.running, state.mostRunning)
        }
        during?(call, task)
        state.withLock { $0.running -= 1 }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { note("created", task) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response", dataTask)
        if let onResponse { onResponse(completionHandler) } else { completionHandler(.allow) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data \(data.count)", dataTask)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) { note("became download", dataTask) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { note("sent \(bytesSent) \(totalBytesSent)/\(totalBytesExpectedToSend)", task) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { note("wrote \(bytesWritten) \(totalBytesWritten)/\(totalBytesExpectedToWrite)", downloadTask) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { note("resumed \(fileOffset)/\(expectedTotalBytes)", downloadTask) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) { note("file \(location.lastPathComponent)", downloadTask) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics", task)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("completed \((error as? URLError)?.code.rawValue ?? 0)", task)
    }
}
