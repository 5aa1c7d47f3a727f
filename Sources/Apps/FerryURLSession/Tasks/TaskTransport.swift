import Foundation
import FoundationNetworking
import Synchronization

/// Performs one task's work. Created by the session's engine, controlled by the task, and reports to the task's relay.
///
/// All methods may be called from any thread and return quickly. In background sessions, a method returns once its
/// command is durable.
protocol TaskTransport: AnyObject, Sendable {
    /// Starts the work, or resumes it after `suspend`.
    func resume()
    func suspend()
    /// Cancels the work. The relay's completion with -999 follows.
    func cancel()
    /// Calls the handler with resume data, then completes with -999 and the same data.
    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void)
    func update(_ change: TaskChange)
}

/// A change that an app makes to an existing task.
enum TaskChange: Sendable {
    case priority(Float)
    case description(String?)
    case earliestBeginDate(Date?)
    case options(TaskOptions)
    case request(URLRequest)
}

/// The work of a task.
enum TaskWork: Sendable {
    case data(URLRequest)
    case download(URLRequest)
    case downloadContinuing(ResumeData)
    case upload(URLRequest, UploadBody)
    case uploadContinuing(UploadResumeData)
    case stream(host: String, port: Int)
    /// Work that cannot be done. The task fails with this error once it is resumed.
    case impossible(URLError)

    var isData: Bool {
        if case .data = self { true } else { false }
    }

    var request: URLRequest? {
        switch self {
        case .data(let request), .download(let request), .upload(let request, _): request
        case .downloadContinuing(let data): data.originalRequest
        case .uploadContinuing(let data): data.originalRequest
        case .stream, .impossible: nil
        }
    }

    /// Returns the same work for the request of a redirect, without the progress made so far.
    func redirected(to request: URLRequest) -> TaskWork {
        let hasBody = !["GET", "HEAD"].contains(request.httpMethod ?? "GET")
        return switch self {
        case .download, .downloadContinuing: .download(request)
        case .upload(_, let body) where hasBody: .upload(request, body)
        case .data, .upload, .uploadContinuing: .data(request)
        case .stream, .impossible: self
        }
    }
}

/// The body of an upload.
enum UploadBody: Sendable {
    case bytes(Data)
    case file(URL)
    /// A stream provided by the delegate.
    case stream
}

/// Completes its task with an error that was known from the start, once the task is resumed or canceled.
final class FailedTransport: TaskTransport {
    private let error: any Error
    private let relay: TaskRelay
    private let hasEnded = Atomic(false)

    init(_ error: any Error, relay: TaskRelay) {
        self.error = error
        self.relay = relay
    }

    func resume() { end(error) }
    func suspend() {}
    func cancel() { end(URLError.failing(.cancelled, relay.task.currentRequest?.url)) }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    private func end(_ error: any Error) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        Task(name: "end of a task") { await relay.complete(error, metrics: []) }
    }
}
