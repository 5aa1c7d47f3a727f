public import BackgroundURLSession
import FerryCore
import FerryURLSession
import Foundation
import Synchronization

/// The hooks that the app has set for a manager's requests.
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

    /// The hooks' manager.
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

    /// The server trust policies of later requests.
    var trust: ServerTrustPolicyManager? {
        get { state.withLock(\.trust) }
        set { state.withLock { $0.trust = newValue } }
    }

    /// Returns the manager's server trust policy for a host.
    func trustPolicy(forHost host: String?) -> ServerTrustPolicy? {
        guard let trust, let host else { return nil }
        return trust.serverTrustPolicy(forHost: host)
    }

    /// Checks that a download may continue at another host.
    ///
    /// - Throws: `invalidRequest` if the hosts have different server trust policies. A download keeps that of its first
    ///   host, which may disable the evaluation.
    func checkTrust(from old: String?, to new: String?, of id: String) throws(FerryError) {
        if old != new, trustPolicy(forHost: old) != trustPolicy(forHost: new) {
            throw DownloadSpec.keeps("host, which has a server trust policy of its own", of: id)
        }
    }

    /// The session that shows the manager's downloads, once created. Requests keep it after the manager is released.
    var session: URLSession? { state.withLock(\.session) }

    func session(made make: () -> URLSession) -> URLSession {
        state.withLock { state in
            let session = state.session ?? make()
            state.session = session
            return session
        }
    }

    func takeSession() -> URLSession? { state.withLock { $0.session.take() } }

    /// Applies the adapter to a request.
    func adapted(_ request: URLRequest) throws -> URLRequest { try adapter?.adapt(request) ?? request }
}

extension ServerTrustPolicy {
    func apply(to request: inout TransferRequest) {
        switch self {
        case .disableEvaluation: request.tls.insecure = true
        case .performDefaultEvaluation(validateHost: false): request.tls.skipsHostVerification = true
        case .performDefaultEvaluation(validateHost: true): break
        }
    }
}

/// Passes an app's object or value to the queue on which it is used.
struct UnsafeTransfer<Value>: @unchecked Sendable {  // SAFETY: used on one of those queues, one call at a time
    let value: Value
}

/// Default header fields: the user's languages and the program's user agent.
enum DefaultHeaders {
    static var all: HTTPHeaders {
        ["Accept-Encoding": "identity", "Accept-Language": languages(Locale.preferredLanguages), "User-Agent": agent]
    }

    /// Returns the user's languages with decreasing weights (RFC 9110 §12.5.4).
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
    /// The server trust policies of a manager's later downloads, for a ``SessionManager/session``. Other sessions have
    /// none and ask their delegate.
    public var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { (owner as? ChainHooks)?.trust }
        set { (owner as? ChainHooks)?.trust = newValue }
    }
}
