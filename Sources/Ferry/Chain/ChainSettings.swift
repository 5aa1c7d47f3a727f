public import BackgroundURLSession
import FerryCore
public import Foundation
import Synchronization

/// What the downloads of a chain begin with, as the manager's configuration says.
struct ChainSettings: Sendable {
    /// Added where a request lacks the field.
    var headers: HTTPHeaders = [:]
    var trust: ServerTrustPolicyManager?

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
        switch host.flatMap({ trust?.policies[$0] }) {
        case .disableEvaluation: request.insecure = true
        case .performDefaultEvaluation(validateHost: false): request.skipsHostVerification = true
        case .performDefaultEvaluation(validateHost: true), nil: break
        }
    }
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

/// What is told of the events of a manager's session.
open class SessionDelegate: NSObject, @unchecked Sendable {  // SAFETY: its state is in a lock; a subclass keeps its own
    private struct State {
        weak var manager: SessionManager?
        var finished: (@Sendable (URLSession) -> Void)?
    }

    private let state = Mutex(State())

    /// The manager that it belongs to.
    public var sessionManager: SessionManager? { state.withLock(\.manager) }

    /// Called when all events of a background session have been told, in place of the manager's completion handler.
    open var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)? {
        get { state.withLock(\.finished) }
        set { state.withLock { $0.finished = newValue } }
    }

    public override init() { super.init() }

    func attach(_ manager: SessionManager) { state.withLock { $0.manager = manager } }

    /// All events of a background session have been told: calls the closure, or without one the manager's completion handler.
    open func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let events = sessionManager?.shared.events
        if let finished = sessionDidFinishEventsForBackgroundURLSession {
            events?.leaveCompletionHandler()
            finished(session)
        } else {
            events?.callCompletionHandler()
        }
    }
}
