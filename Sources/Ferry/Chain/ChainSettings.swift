public import BackgroundURLSession
import FerryCore
import FerryURLSession
import Foundation
import Synchronization

/// What the downloads of a chain begin with, as the manager's configuration says.
struct ChainSettings: Sendable {
    /// Added where a request lacks the field.
    var headers: HTTPHeaders = [:]
    let hooks = ChainHooks()

    /// The fields of a request.
    func headers(_ own: HTTPHeaders) -> HTTPHeaders {
        let names = Set(own.keys.map { $0.lowercased() })
        return own.merging(headers.filter { !names.contains($0.key.lowercased()) }) { own, _ in own }
    }

    /// The configuration of a session that has the limits of a manager; without an identifier it is one of this process.
    func shown(_ limits: SessionConfiguration, _ identifier: String) -> URLSessionConfiguration {
        let configuration: URLSessionConfiguration =
            identifier.isEmpty ? .default : .background(withIdentifier: identifier)
        configuration.timeoutIntervalForRequest = limits.timeoutIntervalForRequest
        configuration.timeoutIntervalForResource = limits.timeoutIntervalForResource
        configuration.allowsCellularAccess = limits.allowsCellularAccess
        configuration.allowsExpensiveNetworkAccess = limits.allowsExpensiveNetworkAccess
        configuration.allowsConstrainedNetworkAccess = limits.allowsConstrainedNetworkAccess
        if let limit = limits.maxTasksPerHost { configuration.httpMaximumConnectionsPerHost = limit }
        if !headers.isEmpty { configuration.httpAdditionalHeaders = headers }
        return configuration
    }

    /// Lets a request trust its server as the manager says.
    func apply(to request: inout TransferRequest, host: String?) {
        switch host.flatMap({ hooks.trust?.serverTrustPolicy(forHost: $0) }) {
        case .disableEvaluation: request.insecure = true
        case .performDefaultEvaluation(validateHost: false): request.skipsHostVerification = true
        case .performDefaultEvaluation(validateHost: true), nil: break
        }
    }
}

/// What the app has set for the requests of a manager.
final class ChainHooks: Sendable {
    private struct State {
        weak var manager: SessionManager?
        var adapter: UnsafeTransfer<any RequestAdapter>?
        var retrier: UnsafeTransfer<any RequestRetrier>?
        var startsRequestsImmediately = true
        var trust: ServerTrustPolicyManager?
        var session: URLSession?
    }

    private let state = Mutex(State())

    /// The manager that they belong to.
    var manager: SessionManager? { state.withLock(\.manager) }

    func attach(_ manager: SessionManager) { state.withLock { $0.manager = manager } }

    var adapter: (any RequestAdapter)? {
        get { state.withLock(\.adapter)?.value }
        set {
            let given = newValue.map { UnsafeTransfer(value: $0) }
            state.withLock { $0.adapter = given }
        }
    }

    var retrier: (any RequestRetrier)? {
        get { state.withLock(\.retrier)?.value }
        set {
            let given = newValue.map { UnsafeTransfer(value: $0) }
            state.withLock { $0.retrier = given }
        }
    }

    var startsRequestsImmediately: Bool {
        get { state.withLock(\.startsRequestsImmediately) }
        set { state.withLock { $0.startsRequestsImmediately = newValue } }
    }

    /// How the servers of later requests show who they are.
    var trust: ServerTrustPolicyManager? {
        get { state.withLock(\.trust) }
        set { state.withLock { $0.trust = newValue } }
    }

    /// The session that shows the manager's downloads, once it was made; requests show it also after the manager is gone.
    var session: URLSession? { state.withLock(\.session) }

    func session(made make: () -> URLSession) -> URLSession {
        state.withLock { state in
            let session = state.session ?? make()
            state.session = session
            return session
        }
    }

    func takeSession() -> URLSession? { state.withLock { $0.session.take() } }

    /// The request that is sent in place of another.
    func adapted(_ request: URLRequest) throws -> URLRequest { try adapter?.adapt(request) ?? request }
}

/// Takes an object or a value of the app's to the queue that it is used on.
struct UnsafeTransfer<Value>: @unchecked Sendable {  // SAFETY: the app gives it for use on those queues, one call at a time
    let value: Value
}

/// The fields that requests begin with: what languages the user reads, and which program asks.
enum DefaultHeaders {
    static var all: HTTPHeaders {
        ["Accept-Encoding": "identity", "Accept-Language": languages(Locale.preferredLanguages), "User-Agent": agent]
    }

    /// The user's languages with falling weights (RFC 9110 §12.5.4).
    static func languages(_ languages: [String]) -> String {
        let named = languages.prefix(6).enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(10 - index)"
        }
        return named.isEmpty ? "en" : named.joined(separator: ", ")
    }

    private static var agent: String {
        let program = ProcessInfo.processInfo.processName
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        let printable = program.unicodeScalars.filter { $0.isASCII && $0.properties.generalCategory != .control }
        return "\(String(String.UnicodeScalarView(printable))) (\(system.filter(\.isASCII))) Ferry"
    }
}

extension URLSession {
    /// How the servers of a manager's later downloads show who they are, for a session that is a ``SessionManager/session``; any
    /// other session has none, and takes its decisions from its delegate.
    public var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { (owner as? ChainHooks)?.trust }
        set { (owner as? ChainHooks)?.trust = newValue }
    }
}
