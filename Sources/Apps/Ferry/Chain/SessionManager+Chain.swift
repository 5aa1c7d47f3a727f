public import BackgroundURLSession
import Dispatch
import FerryCore
import Foundation
import Synchronization

/// Managers and downloads in the style of a chain.
extension SessionManager {
    /// The shared manager, whose downloads are the daemon's.
    public static let `default`: SessionManager = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "SessionManager.default")
        configuration.httpAdditionalHeaders = defaultHTTPHeaders
        return SessionManager(configuration: configuration)
    }()

    /// The default header fields of the shared manager's downloads.
    public static let defaultHTTPHeaders: HTTPHeaders = DefaultHeaders.all

    /// Creates a manager from a session configuration.
    ///
    /// With a background configuration the downloads are the daemon's, and the manager has the configuration's
    /// identifier. Otherwise they run in this process and end with it.
    public convenience init(
        configuration: URLSessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        let identifier = configuration.identifier ?? ""
        let parts = ManagerParts(
            configuration: SessionConfiguration(configuration),
            logger: LoggerBox(logger: Logger(identifier: identifier, option: .none)),
            cache: Cache(identifier.isEmpty ? "SessionManager" : identifier),
            operationQueue: DispatchQueue(label: "Ferry.SessionManager.operationQueue"),
            base: configuration.copy() as? URLSessionConfiguration)
        let hooks = ChainHooks()
        hooks.trust = serverTrustPolicyManager
        let shared =
            identifier.isEmpty
            ? ManagedSessions.shared.inProcess(parts) : ManagedSessions.shared.session(identifier, parts)
        self.init(identifier, shared: shared, parts, hooks: hooks, delegate: delegate)
    }

    // MARK: Downloads

    /// Downloads a URL. The destination is chosen when the file is complete.
    ///
    /// Picks up a download of an earlier process with the same method and URL.
    /// - Parameters:
    ///   - url: The URL.
    ///   - method: The method.
    ///   - parameters: Encoded by the encoding.
    ///   - encoding: The encoding of the parameters.
    ///   - headers: Header fields of the request.
    ///   - destination: Called once, on the operation queue. Without one the file is at the result's temporary URL
    ///     until the last handler of the result has returned.
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

    /// Downloads the resource of a request. The destination is chosen when the file is complete.
    ///
    /// Picks up a download of an earlier process with the same method and URL. A body stream is not sent.
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

    /// Resumes from ``DownloadRequest/resumeData``, or from the resume data of a session's download task.
    ///
    /// The data can be used once. Unusable data ends the request with `URLError.cannotWriteToFile`.
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
        var state = Request.State(task: .unmade, hooks: hooks)
        state.source = source
        state.destination = destination
        state.ending.isWanted = true
        state.keptManager = hooks.retrier == nil ? nil : self
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

    /// Downloads of an earlier process that no call has picked up yet.
    public var restoredRequests: [DownloadRequest] { shared.state.withLock(\.restored) }

    // MARK: Hooks

    /// Modifies chain requests before they are sent. Nil leaves them unchanged.
    public var adapter: (any RequestAdapter)? {
        get { hooks.adapter }
        set { hooks.adapter = newValue }
    }

    /// Decides about retries of failed chain requests. Nil for none.
    ///
    /// Requests created while it is set keep the manager alive until their results are delivered.
    public var retrier: (any RequestRetrier)? {
        get { hooks.retrier }
        set { hooks.retrier = newValue }
    }

    /// Whether chain requests start immediately, or wait for `resume()`. True by default.
    public var startRequestsImmediately: Bool {
        get { hooks.startsRequestsImmediately }
        set { hooks.startsRequestsImmediately = newValue }
    }
}

extension DownloadTask {
    /// The task of a request before its download is created.
    static var unmade: DownloadTask { detached(.failed, .unknown) }
}
