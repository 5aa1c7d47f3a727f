import BackgroundURLSession
import FerryCore
import FerryURLSession
public import Foundation
public import FoundationNetworking
import Synchronization

/// A chain request, as adapters and retriers see it. Always a ``DownloadRequest``.
public class Request: @unchecked Sendable {  // SAFETY: constants, and state in a Mutex
    /// The result of a validation.
    public enum ValidationResult {
        case success
        case failure(any Error)
    }

    /// A closure of ``DownloadRequest/downloadProgress(queue:closure:)``.
    public typealias ProgressHandler = Handler<Progress>

    /// The source of a request, which is also used for retries.
    enum Source {
        case request(URLRequest)
        case resumeData(Data)
        /// The app's value could not be converted to a request.
        case nothing(any Error)
    }

    struct State {
        var task: DownloadTask
        var hooks: ChainHooks
        var source: Source?
        /// The sent request.
        var made: URLRequest?
        var destination: DownloadRequest.DownloadFileDestination?
        var checks = ResponseChecks()
        var ending = RequestEnding()
        var retries = RequestRetries()
        var progress: (queue: DispatchQueue, closure: Handler<Progress>)?
        /// Keeps the manager alive while its retrier may be called.
        var keptManager: SessionManager?
        /// The task that represents the request.
        var shown: URLSessionDownloadTask?
        var reported = ReportedBytes()
        let created = Date()
    }

    let shared: ManagedSession?
    let state: Mutex<State>

    init(_ state: State, in shared: ManagedSession?) {
        self.state = Mutex(state)
        self.shared = shared
    }

    /// The download of the request. A retried request has another one.
    public var downloadTask: DownloadTask { state.withLock(\.task) }

    /// The request as created, or nil if it could not be.
    public var request: URLRequest? {
        let (made, task) = state.withLock { ($0.made, $0.task) }
        if let made { return made }
        guard shared != nil, task.session != nil else { return nil }
        var request = URLRequest(url: task.url)
        let (method, headers) = task.state.withLock { ($0.asked.method, $0.asked.headers) }
        request.httpMethod = method.rawValue
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    public var response: HTTPURLResponse? { downloadTask.response }

    /// Number of retries by the manager's retrier.
    public var retryCount: UInt { state.withLock(\.retries.count) }

    /// Returns the header field with a user name and password for Basic authentication (RFC 7617).
    public class func authorizationHeader(user: String, password: String) -> (key: String, value: String)? {
        ("Authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }

    // MARK: Control

    /// Suspends the download and keeps its bytes.
    public func suspend() {
        shared?.perform(.suspend, on: [downloadTask]) { _ in }
        post(Notification.Name.Task.DidSuspend)
    }

    /// Resumes the download.
    public func resume() {
        shared?.perform(.start, on: [downloadTask]) { _ in }
        post(Notification.Name.Task.DidResume)
    }

    /// Cancels the download. The result is an error.
    public func cancel() {
        shared?.perform(.cancel, on: [downloadTask]) { _ in }
        post(Notification.Name.Task.DidCancel)
    }

    /// Provides a user name and password for servers that require them.
    @discardableResult
    public func authenticate(
        user: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(usingCredential: URLCredential(user: user, password: password, persistence: persistence))
    }

    /// Provides a credential for servers that require one. Used once.
    @discardableResult
    public func authenticate(usingCredential credential: URLCredential) -> Self {
        state.withLock { state in
            state.retries.credential = credential
            state.retries.answers = 0
        }
        return self
    }
}

extension Request: CustomStringConvertible {
    /// Method, URL and status.
    public var description: String {
        let request = request
        let parts = [request?.httpMethod, request?.url.map(LogText.url), response.map { "(\($0.statusCode))" }]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}

extension Request: CustomDebugStringConvertible {
    /// The request as a curl command, including the secrets in its fields and URL.
    public var debugDescription: String {
        guard let request, let url = request.url else { return "$ curl command could not be created" }
        var words = ["$ curl -v"]
        let method = request.httpMethod ?? "GET"
        if method != "GET" { words.append("-X \(method)") }
        let fields = shared.map { $0.mapping.fields(request) } ?? []
        words += fields.map { "-H \(Self.quoted("\($0.name): \($0.value)"))" }
        if let body = request.httpBody {
            words.append("--data-binary \(Self.quoted(String(decoding: body, as: UTF8.self)))")
        }
        words.append(Self.quoted(url.absoluteString))
        return words.joined(separator: " \\\n\t")
    }

    /// Quotes a text as one shell word.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'"
    }
}

/// The completion of a request.
struct RequestEnding {
    /// Handlers that wait for the result.
    var responders: [DownloadRequest.Responder] = []
    var result: DefaultDownloadResponse?
    /// Whether the app of this process has requested the file, so that the request may complete.
    var isWanted = false
    var hasEnded = false
    var isFinishing = false
    /// Whether the service is handing over the partial file.
    var isReleasing = false
    /// Why no download was created.
    var failure: (any Error)?
    var resumeData: Data?
    /// The partial file that the download continues.
    var continued: PartialDownload?
    /// The state of the task that represents the request.
    var shown: ShownTask.Ending?

    /// Resets the state for a download that starts, perhaps not for the first time.
    mutating func begin() {
        hasEnded = false
        isFinishing = false
        isReleasing = false
        failure = nil
        resumeData = nil
        continued = nil
        shown = nil
    }
}

/// Retries after a failure.
struct RequestRetries {
    var count: UInt = 0
    var credential: URLCredential?
    /// Number of sent credentials.
    var answers = 0
    /// Whether the app was asked and has not answered. Further answers are ignored.
    var isAsked = false

    mutating func takeAnswer() -> Bool {
        defer { isAsked = false }
        return isAsked
    }
}
