package import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Records times and byte counts of one request and its response, from the connection and from the HTTP client.
package final class ExchangeRecorder: Sendable {
    private struct State {
        var facts: ExchangeFacts
        var pendingTrust: TrustChallenge?
        /// When the exchange ended. A short response can end before its head is judged.
        var end: Date?
        /// Whether the client has sent the complete request.
        var isSent = false
    }

    /// The target in the request line.
    let target: String
    /// Whether to record everything, for the client's metrics. Otherwise only the times that the engine needs.
    let isDetailed: Bool
    /// Decides on the server's certificates. `nil` leaves them to the TLS library.
    let trust: TrustQuestion?
    /// The request head, if the connection is opened before it is known.
    let laterHead: EventLoopFuture<HTTPRequestHead>?
    private let state: Mutex<State>
    /// Body bytes that left through the socket.
    let bytesSent = Atomic<Int64>(0)
    /// Number of pending advisor decisions.
    private let questions = Atomic(0)
    /// Time of the advisor's last decision, in nanoseconds of the event loops' clock.
    private let answered = Atomic<UInt64>(0)
    private let onInformational: (@Sendable (HTTPResponseHead) -> Void)?
    private let onSent: (@Sendable (Int64) -> Void)?
    private let onReceived: (@Sendable (Int) -> Void)?
    private let onAsked: (@Sendable () -> Void)?

    init(
        url: HTTPURL, method: String, headers: HTTPHeaders, proxy: ProxyChoice? = nil, trust: TrustQuestion? = nil,
        laterHead: EventLoopFuture<HTTPRequestHead>? = nil,
        onInformational: (@Sendable (HTTPResponseHead) -> Void)? = nil, onSent: (@Sendable (Int64) -> Void)? = nil,
        onReceived: (@Sendable (Int) -> Void)? = nil, onAsked: (@Sendable () -> Void)? = nil, isDetailed: Bool = true
    ) {
        self.isDetailed = isDetailed
        // A forwarding proxy needs the absolute URL in the request line (RFC 9112 §3.2.2).
        let isForwarded = proxy?.tunnels(to: url) == false
        target = isForwarded ? "\(url.scheme)://\(url.hostField)\(url.requestTarget)" : url.requestTarget
        self.trust = trust
        self.laterHead = laterHead
        self.onInformational = onInformational
        self.onSent = onSent
        self.onReceived = onReceived
        self.onAsked = onAsked
        var facts = ExchangeFacts(url: url.string, method: method)
        if isDetailed { facts.fields = Self.shown(headers) }
        facts.isProxyConnection = proxy != nil
        facts.fetchStart = Date()
        state = Mutex(State(facts: facts))
    }

    private static let secret = ["authorization", "proxy-authorization", "cookie"]

    private static func shown(_ headers: HTTPHeaders) -> [HeaderField] {
        var shown: [HeaderField] = []
        shown.reserveCapacity(headers.count)
        for (name, value) in headers {
            let field = HeaderField(name: name, value: value)
            if !secret.contains(where: field.isNamed) { shown.append(field) }
        }
        return shown
    }

    /// Begins the record of the real request on a connection opened early.
    func begin(url: HTTPURL, headers: HTTPHeaders) {
        change { facts in
            facts.url = url.string
            if isDetailed { facts.fields = Self.shown(headers) }
            facts.fetchStart = Date()
        }
    }

    /// Times and counts known so far.
    package var facts: ExchangeFacts { state.withLock(\.facts) }

    /// Whether the request was written to an open connection.
    var wasAsked: Bool { state.withLock { $0.facts.requestStart != nil } }

    /// Seconds from the request on an open connection to its head, or `nil` while unknown.
    var roundTrip: Double? {
        state.withLock { state in
            guard let sent = state.facts.requestStart, let answered = state.facts.responseStart else { return nil }
            return max(0, answered.timeIntervalSince(sent))
        }
    }

    /// The certificates awaiting the client's decision.
    package var pendingTrust: TrustChallenge? { state.withLock(\.pendingTrust) }

    func change(_ change: (inout ExchangeFacts) -> Void) { state.withLock { change(&$0.facts) } }

    /// Asks the advisor, and stops the server's timeouts meanwhile.
    func asking<Answer>(_ ask: () async -> Answer) async -> Answer {
        questions.wrappingAdd(1, ordering: .relaxed)
        let answer = await ask()
        answered.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
        questions.wrappingSubtract(1, ordering: .releasing)
        return answer
    }

    /// Time before which the server's timeouts do not run, because the advisor used it.
    var patience: NIODeadline {
        if questions.load(ordering: .acquiring) > 0 { return .now() }
        return NIODeadline.uptimeNanoseconds(answered.load(ordering: .relaxed))
    }

    /// Whether the client has sent the complete request.
    var isSent: Bool { state.withLock(\.isSent) }

    func wait(for challenge: TrustChallenge) { state.withLock { $0.pendingTrust = challenge } }

    // MARK: Connection events

    func informed(_ head: HTTPResponseHead) { onInformational?(head) }

    // MARK: Client events

    func sentPart(_ bytes: Int) {
        let total = bytesSent.wrappingAdd(Int64(bytes), ordering: .relaxed).newValue
        // The client reports the end of the body only after its source, possibly after the response.
        change { ($0.requestBodyBytes, $0.requestEnd) = (total, Date()) }
        onSent?(total)
    }

    func sentRequest() {
        state.withLock { state in
            state.isSent = true
            state.facts.requestEnd = Date()
        }
        onAsked?()
    }

    func receivedHead(_ head: ResponseHead) {
        state.withLock { state in
            state.facts.responseStart = state.end.map { min($0, Date()) } ?? Date()
            state.facts.responseEnd = state.end
            guard isDetailed else { return }
            state.facts.networkProtocol = head.networkProtocol
            state.facts.response = head.facts
        }
    }

    func receivedPart(_ bytes: Int) {
        change { facts in
            facts.responseBodyBytes += Int64(bytes)
            facts.decodedBodyBytes = facts.responseBodyBytes
        }
        onReceived?(bytes)
    }

    func ended() {
        state.withLock { state in
            let end = Date()
            state.end = end
            if state.facts.responseStart != nil { state.facts.responseEnd = end }
        }
    }
}
