public import BackgroundURLSession
import Dispatch
import FerryCore
import Foundation
import Synchronization

/// Managers and downloads in the style of a chain.
extension SessionManager {
    /// A manager that the daemon serves, for downloads without one of their own.
    public static let `default`: SessionManager = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "SessionManager.default")
        configuration.httpAdditionalHeaders = defaultHTTPHeaders
        return SessionManager(configuration: configuration)
    }()

    /// The fields that the downloads of the default manager begin with.
    public static let defaultHTTPHeaders: HTTPHeaders = DefaultHeaders.all

    /// Makes a manager from a session's configuration.
    ///
    /// With a background configuration the daemon carries the downloads, and the manager has the configuration's identifier;
    /// with another one this process does, and they end with it.
    public convenience init(
        configuration: URLSessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        var limits = SessionConfiguration()
        limits.timeoutIntervalForRequest = configuration.timeoutIntervalForRequest
        limits.timeoutIntervalForResource = configuration.timeoutIntervalForResource
        limits.maxConcurrentTasksLimit = .max
        limits.maxTasksPerHost = configuration.httpMaximumConnectionsPerHost
        limits.allowsCellularAccess = configuration.allowsCellularAccess
        limits.allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
        limits.allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
        let identifier = configuration.identifier ?? ""
        let parts = ManagerParts(
            configuration: limits, logger: LoggerBox(logger: Logger(identifier: identifier, option: .none)),
            cache: Cache(identifier.isEmpty ? "SessionManager" : identifier),
            operationQueue: DispatchQueue(label: "Ferry.SessionManager.operationQueue"))
        var chain = ChainSettings()
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] { chain.headers["\(name)"] = "\(value)" }
        chain.trust = serverTrustPolicyManager
        let shared =
            identifier.isEmpty
            ? ManagedSessions.shared.inProcess(parts) : ManagedSessions.shared.session(identifier, parts)
        self.init(identifier, shared: shared, parts, chain: chain, delegate: delegate)
    }

    /// Downloads a URL; the destination says where the file goes once it is whole.
    ///
    /// A download with the same method and URL that an earlier process has left is taken up again.
    /// - Parameter destination: called once, on the operation queue; without one the file is at the result's temporary URL
    ///   until the last handler of the result has returned.
    @_disfavoredOverload
    @discardableResult
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        let address: URL
        do throws(FerryError) {
            address = try url.address()
        } catch {
            shared.log { .error("No download was made.", error: error) }
            let request = DownloadRequest(.detached(.failed, error), in: nil, isWanted: true)
            request.ended(after: nil)
            return request
        }
        if let request = shared.takeRestored(address, method) {
            request.adopt(destination)
            return request
        }
        return request(address, method, chain.headers(headers ?? [:]), destination)
    }

    /// Downloads that an earlier process has left and that no call has taken up again.
    public var restoredRequests: [DownloadRequest] { shared.state.withLock(\.restored) }

    /// Makes a download whose file waits for its app.
    private func request(
        _ url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders,
        _ destination: DownloadRequest.DownloadFileDestination?
    ) -> DownloadRequest {
        var note = TaskNote(url: url.absoluteString)
        note.kind = .chain
        note.isNamedByURL = false
        var initial = TaskState(
            note: note, url: url, folder: "", fileName: FileNaming.defaultName(for: url))
        initial.asked.method = method
        initial.asked.headers = headers
        let task = DownloadTask(initial, url: url, session: shared)
        let request = DownloadRequest(task, in: shared, isWanted: true)
        request.state.withLock { $0.destination = destination }
        task.state.withLock { $0.request = request }
        let template = shared.state.withLock { state in
            shared.insert(task, in: &state)
            shared.update(&state)
            return RequestPlan.chain(state.configuration, place: shared.place, cache: shared.cache, method, headers)
        }
        var final = template
        chain.apply(to: &final, host: url.host)
        let plan = RequestPlan(template: PlanTemplate(final), url: url.absoluteString, name: nil)
        shared.storeAndWait(Submission([(task, plan)]))
        return request
    }
}

extension RequestPlan {
    /// Statuses of servers that are busy or broken for a while.
    private static let retried: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// The request of a download whose file waits for its app, which judges the status itself.
    static func chain(
        _ configuration: SessionConfiguration, place: SessionPlace, cache: Cache, _ method: HTTPMethod,
        _ headers: HTTPHeaders
    ) -> TransferRequest {
        var request = template(configuration, place: place, cache: cache)
        request.folder = ""
        request.partialFolder = nil
        request.acceptableStatuses = nil
        request.spooled = true
        request.statusPolicy = .any
        request.retryRule = RetryRule(statusCodes: retried, doubtfulRetries: 0)
        request.method = method.rawValue
        request.headers = fields(headers)
        return request
    }
}
