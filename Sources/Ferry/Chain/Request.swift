import BackgroundURLSession
import FerryCore
import FerryURLSession
public import Foundation
public import FoundationNetworking
import Synchronization

/// A request of a chain, as adapters and retriers see it; each is a ``DownloadRequest``.
public class Request: @unchecked Sendable {  // SAFETY: constants, and state in a Mutex
    /// What a validation came to.
    public enum ValidationResult {
        case success
        case failure(any Error)
    }

    /// What a closure of ``DownloadRequest/downloadProgress(queue:closure:)`` is.
    public typealias ProgressHandler = Handler<Progress>

    /// What is asked for, also when it is asked again.
    enum Source {
        case request(URLRequest)
        case resumeData(Data)
        /// What the app gave is no request.
        case nothing(any Error)
    }

    struct State {
        var task: DownloadTask
        var chain: ChainSettings
        var source: Source?
        /// The request that was sent.
        var made: URLRequest?
        var destination: DownloadRequest.DownloadFileDestination?
        var checks = ResponseChecks()
        var ending = RequestEnding()
        var retries = RequestRetries()
        var progress: (queue: DispatchQueue, closure: Handler<Progress>)?
        /// The manager lives on while its retrier may be asked.
        var keptManager: SessionManager?
        /// The task that the request was shown as.
        var shown: URLSessionDownloadTask?
        var told = ReportedBytes()
        let created = Date()
    }

    let shared: ManagedSession?
    let state: Mutex<State>

    init(_ state: State, in shared: ManagedSession?) {
        self.state = Mutex(state)
        self.shared = shared
    }

    /// The download that the request stands for; a request that is tried again has another one.
    public var downloadTask: DownloadTask { state.withLock(\.task) }

    /// The request as it was made; nil if it could not be.
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

    /// How often the manager's retrier has let it be tried again.
    public var retryCount: UInt { state.withLock(\.retries.count) }

    /// The field that names a user and a password to a server (RFC 7617).
    public class func authorizationHeader(user: String, password: String) -> (key: String, value: String)? {
        ("Authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }

    // MARK: Control

    /// Stops the download and keeps its bytes.
    public func suspend() {
        shared?.perform(.suspend, on: [downloadTask]) { _ in }
        post(Notification.Name.Task.DidSuspend)
    }

    /// Lets the download go on.
    public func resume() {
        shared?.perform(.start, on: [downloadTask]) { _ in }
        post(Notification.Name.Task.DidResume)
    }

    /// Ends the download; the result is an error.
    public func cancel() {
        shared?.perform(.cancel, on: [downloadTask]) { _ in }
        post(Notification.Name.Task.DidCancel)
    }

    /// Answers a server that asks for a user and a password.
    @discardableResult
    public func authenticate(
        user: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(usingCredential: URLCredential(user: user, password: password, persistence: persistence))
    }

    /// Answers a server that asks for a user and a password with those of a credential, once.
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
    /// The method, the URL and the status.
    public var description: String {
        let request = request
        let parts = [request?.httpMethod, request?.url.map(LogText.url), response.map { "(\($0.statusCode))" }]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}

extension Request: CustomDebugStringConvertible {
    /// The request as a command of curl, with the secrets in its fields and its URL.
    public var debugDescription: String {
        guard let request, let url = request.url else { return "$ curl command could not be created" }
        var words = ["$ curl -v"]
        let method = request.httpMethod ?? "GET"
        if method != "GET" { words.append("-X \(method)") }
        let headers = state.withLock(\.chain).headers(request.sentFields)
        words += headers.sorted { $0.key < $1.key }.map { "-H \(Self.quoted("\($0): \($1)"))" }
        if let body = request.httpBody {
            words.append("--data-binary \(Self.quoted(String(decoding: body, as: UTF8.self)))")
        }
        words.append(Self.quoted(url.absoluteString))
        return words.joined(separator: " \\\n\t")
    }

    /// A text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'"
    }
}

/// How a request comes to its result.
struct RequestEnding {
    /// The closures that wait for the result.
    var responders: [DownloadRequest.Responder] = []
    var result: DefaultDownloadResponse?
    /// Whether the app has asked for the file in this process, so that it may be finished.
    var isWanted = false
    var hasEnded = false
    var isFinishing = false
    /// Whether the service is handing the partial file over.
    var isReleasing = false
    /// Why no download was made.
    var failure: (any Error)?
    var resumeData: Data?
    /// How the request is shown as a task.
    var shown: ShownTask.Ending?

    /// A download begins, perhaps not the first one.
    mutating func begin() {
        hasEnded = false
        isFinishing = false
        isReleasing = false
        failure = nil
        resumeData = nil
        shown = nil
    }
}

/// What is tried again after a failure.
struct RequestRetries {
    var count: UInt = 0
    var credential: URLCredential?
    /// How often a credential was sent.
    var answers = 0
    /// Whether the app was asked what is to be done and has not answered; a second answer means nothing.
    var isAsked = false

    mutating func takeAnswer() -> Bool {
        defer { isAsked = false }
        return isAsked
    }
}
