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
        chain.hooks.trust = serverTrustPolicyManager
        let shared =
            identifier.isEmpty
            ? ManagedSessions.shared.inProcess(parts) : ManagedSessions.shared.session(identifier, parts)
        self.init(identifier, shared: shared, parts, chain: chain, delegate: delegate)
    }

    // MARK: Downloads

    /// Downloads a URL; the destination says where the file goes once it is whole.
    ///
    /// A download with the same method and URL that an earlier process has left is taken up again.
    /// - Parameters:
    ///   - parameters: sent in the way of the encoding.
    ///   - destination: called once, on the operation queue; without one the file is at the result's temporary URL until the
    ///     last handler of the result has returned.
    @_disfavoredOverload
    @discardableResult
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            let request = try URLRequest(url: try Self.address(of: url), method: method, headers: headers)
            return download(.request(try encoding.encode(request, with: parameters)), to: destination)
        } catch {
            return download(.nothing(error), to: destination)
        }
    }

    /// Downloads what a request names; the destination says where the file goes once it is whole.
    ///
    /// A download with the same method and URL that an earlier process has left is taken up again. A body that is a stream
    /// is not sent.
    @_disfavoredOverload
    @discardableResult
    public func download(
        _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            return download(.request(try urlRequest.asURLRequest()), to: destination)
        } catch {
            return download(.nothing(error), to: destination)
        }
    }

    /// Goes on with what ``DownloadRequest/resumeData``, or a session's download task, has left.
    ///
    /// The data can be used once. Data that cannot be used end the request with `URLError.cannotWriteToFile`.
    @discardableResult
    public func download(
        resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        download(.resumeData(resumeData), to: destination)
    }

    private func download(
        _ source: Request.Source, to destination: DownloadRequest.DownloadFileDestination?
    ) -> DownloadRequest {
        if case .request(let asked) = source, let url = asked.url,
            let request = shared.takeRestored(url, asked.httpMethod.flatMap(HTTPMethod.init) ?? .get)
        {
            request.adopt(destination, source, of: self)
            return request
        }
        var state = Request.State(task: .unmade, chain: chain)
        state.source = source
        state.destination = destination
        state.ending.isWanted = true
        state.keptManager = chain.hooks.retrier == nil ? nil : self
        let request = DownloadRequest(state, in: shared)
        request.begin(waits: true)
        return request
    }

    private static func address(of url: any URLConvertible) throws -> URL {
        do throws(FerryError) {
            return try url.address()
        } catch {
            throw AFError.invalidURL(url: url)
        }
    }

    /// Downloads that an earlier process has left and that no call has taken up again.
    public var restoredRequests: [DownloadRequest] { shared.state.withLock(\.restored) }

    // MARK: Hooks

    /// Changes the requests of the chain before they are sent; nil leaves them as they are.
    public var adapter: (any RequestAdapter)? {
        get { chain.hooks.adapter }
        set { chain.hooks.adapter = newValue }
    }

    /// Decides whether requests of the chain that have failed are tried again; nil tries none again.
    ///
    /// Requests that are made while it is set keep the manager until their results are told.
    public var retrier: (any RequestRetrier)? {
        get { chain.hooks.retrier }
        set { chain.hooks.retrier = newValue }
    }

    /// Whether the requests of the chain begin by themselves, or wait for `resume()`; true at first.
    public var startRequestsImmediately: Bool {
        get { chain.hooks.startsRequestsImmediately }
        set { chain.hooks.startsRequestsImmediately = newValue }
    }
}

extension DownloadTask {
    /// A task that stands for a request before its download was made.
    static var unmade: DownloadTask { detached(.failed, .unknown) }
}
