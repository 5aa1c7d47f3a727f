package import FerryCore
import FerryRules
import Foundation
import NIOCore
import Synchronization

/// Records times and byte counts of one request and its response, as its connection reports them.
package final class ExchangeRecorder: Sendable {
    private struct State {
        var facts: ExchangeFacts
        var pendingTrust: TrustChallenge?
        /// When the exchange ended. A short response can end before its head is judged.
        var end: Date?
        /// Whether the client has sent the complete request.
        var isSent = false
    }

    /// Whether to record everything, for the client's metrics. Otherwise only the times that the engine needs.
    let isDetailed: Bool
    /// Decides on the server's certificates. `nil` leaves them to the TLS library.
    let trust: TrustQuestion?
    private let state: Mutex<State>
    /// Body bytes that left through the socket.
    let bytesSent = Atomic<Int64>(0)
    /// Number of pending advisor decisions.
    private let questions = Atomic(0)
    /// Time of the advisor's last decision, in nanoseconds of the event loops' clock.
    private let answered = Atomic<UInt64>(0)
    private let onInformational: (@Sendable (ReceivedHead) -> Void)?
    private let onSent: (@Sendable (Int64) -> Void)?
    private let onReceived: (@Sendable (Int) -> Void)?
    private let onAsked: (@Sendable () -> Void)?

    init(
        url: HTTPURL, method: String, fields: [HeaderField], proxy: ProxyChoice? = nil, trust: TrustQuestion? = nil,
        onInformational: (@Sendable (ReceivedHead) -> Void)? = nil, onSent: (@Sendable (Int64) -> Void)? = nil,
        onReceived: (@Sendable (Int) -> Void)? = nil, onAsked: (@Sendable () -> Void)? = nil, isDetailed: Bool = true
    ) {
        self.isDetailed = isDetailed
        self.trust = trust
        self.onInformational = onInformational
        self.onSent = onSent
        self.onReceived = onReceived
        self.onAsked = onAsked
        var facts = ExchangeFacts(url: url.string, method: method)
        if isDetailed { facts.fields = Self.shown(fields) }
        facts.isProxyConnection = proxy != nil
        facts.fetchStart = Date()
        state = Mutex(State(facts: facts))
    }

    private static let secret = ["authorization", "proxy-authorization", "cookie"]

    private static func shown(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { !secret.contains(where: $0.isNamed) }
    }

    /// Begins the record of the real request on a connection opened early.
    func begin(_ head: RequestHead) {
        change { facts in
            facts.url = head.url.string
            if isDetailed { facts.fields = Self.shown(head.fields) }
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

    /// A connection sends the request's head now.
    func began(
        _ head: RequestHead, with body: RequestBodyStream?, on connection: ConnectionFacts, isReused: Bool
    ) {
        change { facts in
            facts.isReusedConnection = isReused
            facts.requestStart = Date()
            guard isDetailed else { return }
            facts.localAddress = connection.local?.ipAddress
            facts.localPort = connection.local?.port
            facts.remoteAddress = connection.remote?.ipAddress
            facts.remotePort = connection.remote?.port
            facts.requestHeaderBytes = head.size(with: body)
            facts.tlsVersion = connection.tlsVersion
            guard !isReused else { return }
            (facts.connectStart, facts.connectEnd) = (connection.started, connection.connected)
            (facts.secureConnectionStart, facts.secureConnectionEnd) = (connection.secureStart, connection.secureEnd)
        }
    }

    func received(_ head: ReceivedHead) {
        if isDetailed { change { $0.responseHeaderBytes += head.size } }
        if head.isInformational { onInformational?(head) }
    }

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
