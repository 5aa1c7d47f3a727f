import BackgroundURLSession
import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking

/// Creates the transfers of a manager's downloads. ``RequestMapping`` decides what the configuration and the request
/// determine, as for tasks of a session. The rest is the manager's own: files, statuses and retries.
struct ManagerMapping: Sendable {
    private let limits: SessionConfiguration
    private let place: SessionPlace
    private let requests: RequestMapping

    /// Retries after responses of a busy server (docs/behaviour/session-manager.md#S10).
    private static let statusRetries = 5
    /// Statuses of temporarily busy or broken servers.
    private static let busyStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// - Parameter base: The configuration that the manager was created from, if any.
    init(_ limits: SessionConfiguration, base: URLSessionConfiguration? = nil, place: SessionPlace) {
        self.limits = limits
        self.place = place
        let name = place.identifier.isEmpty ? place.session.name : place.identifier
        let configuration = limits.sessionConfiguration(base, identifier: place.isDaemon ? name : nil)
        requests = RequestMapping(configuration, session: place.session, owner: .manager, caller: place.caller)
    }

    /// Returns the transfer of a download whose file is placed in a cache.
    func download(_ request: URLRequest, in cache: Cache) -> TransferRequest {
        var result = transfer(request)
        result.file.folder = cache.downloadFilePath
        result.file.partialFolder = cache.downloadTmpPath
        let statuses = limits.acceptableStatusCodes
        result.response.acceptableStatuses = StatusRange(lower: statuses.lowerBound, upper: statuses.upperBound)
        result.timing.retryRule = RetryRule(doubtfulRetries: 0)
        (result.timing.retries, result.timing.statusRetries) = (nil, Self.statusRetries)
        // A single invalid number would make the service refuse every download.
        result.bringNumbersIntoRange(.clamp)
        return result
    }

    /// Returns the transfer of a chain's download, whose file waits for its app. The app validates the status.
    func chainDownload(_ request: URLRequest) -> TransferRequest {
        var result = transfer(request)
        result.file.spooled = true
        result.response.statusPolicy = .any
        // In the process itself, retrying is up to the app, as in a session.
        if place.isDaemon {
            result.timing.retryRule = RetryRule(statusCodes: Self.busyStatuses, doubtfulRetries: 0)
            result.timing.statusRetries = Self.statusRetries
        }
        result.bringNumbersIntoRange(.clamp)
        return result
    }

    /// Returns the header fields of a request.
    func fields(_ request: URLRequest) -> [HeaderField] { requests.fields(request) }

    /// Whether any request has cookies or credentials.
    var hasLogins: Bool { requests.hasLogins }

    /// Returns the cookies and credentials of a request.
    func login(_ request: URLRequest) -> LoginOptions { requests.login(request) }

    /// Returns the error of a request that a download cannot carry out, if any.
    func refusal(_ request: URLRequest) -> URLError? { RequestMapping.refusal(request, requests.configuration) }

    /// The session's limits in the service.
    var settings: SessionSettings {
        var settings = SessionSettings(
            activeTransfers: limits.maxConcurrentTasksLimit,
            rateLimit: limits.maxBytesPerSecond.map { max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) } ?? 0,
            hostConnections: limits.maxTasksPerHost)
        settings.inOrder = true
        settings = requests.settings(settings)
        settings.bringNumbersIntoRange(.clamp)
        return settings
    }

    private func transfer(_ request: URLRequest) -> TransferRequest {
        var result = requests.transfer(request)
        result.transport.connections = limits.connectionsPerTask
        result.response.onMismatch = limits.checksumMismatchPolicy == .fail ? .fail : .keep
        result.file.onFullDisk = .failAtStart
        result.file.onConflict = limits.fileConflictPolicy.policy
        result.note = place.note("")
        return result
    }
}

extension SessionConfiguration {
    /// The limits of a manager that is created from a session configuration.
    init(_ configuration: URLSessionConfiguration) {
        timeoutIntervalForRequest = configuration.timeoutIntervalForRequest
        timeoutIntervalForResource = configuration.timeoutIntervalForResource
        maxConcurrentTasksLimit = .max
        maxTasksPerHost = configuration.httpMaximumConnectionsPerHost
        allowsCellularAccess = configuration.allowsCellularAccess
        allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
        allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
    }

    /// Returns the session configuration that corresponds to a manager's limits.
    ///
    /// - Parameters:
    ///   - base: The configuration that the manager was created from, if any.
    ///   - identifier: The identifier of a background configuration. Nil for a session of this process.
    func sessionConfiguration(_ base: URLSessionConfiguration?, identifier: String?) -> URLSessionConfiguration {
        let copy = base?.copy() as? URLSessionConfiguration
        let configuration = copy ?? identifier.map { .background(withIdentifier: $0) } ?? .default
        configuration.timeoutIntervalForRequest = timeoutIntervalForRequest
        configuration.timeoutIntervalForResource = timeoutIntervalForResource
        configuration.allowsCellularAccess = allowsCellularAccess
        configuration.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        if let limit = maxTasksPerHost { configuration.httpMaximumConnectionsPerHost = limit }
        return configuration
    }
}

extension FileConflictPolicy {
    /// The policy for the daemon.
    var policy: ConflictPolicy {
        switch self {
        case .unique: .unique
        case .replace: .replace
        case .fail: .fail
        }
    }
}

extension URLRequest {
    /// Creates the request of a download.
    init(_ url: URL, method: HTTPMethod = .get, headers: HTTPHeaders, body: Data? = nil) {
        self.init(url: url)
        httpMethod = method.rawValue
        allHTTPHeaderFields = headers
        httpBody = body
    }
}
