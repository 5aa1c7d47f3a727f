import NIOCore

/// The state of a connection's requests, and the deadline of each state. A pure value.
///
/// A client that sends nothing, or sends without end, occupies memory and a connection that others need. Time spent by
/// the daemon has no limit: slow responses and streams.
struct RequestPhase {
    struct Limits {
        /// Time until the head of a request is complete, from the start of the connection or the end of the last
        /// response.
        var head = TimeAmount.seconds(60)
        /// Time until a request is complete, from its head.
        var body = TimeAmount.minutes(2)
        /// Time for reading the remaining bytes of a request that got an early response. They are dropped.
        var rest = TimeAmount.seconds(5)
        /// Maximum number of these remaining bytes.
        var restBytes = 16 << 20
        /// Maximum bytes of one request's body.
        var bodyBytes = Int.max
        /// Maximum bytes of all unanswered requests together: four of the largest.
        var allBytes = 256 << 20
    }

    /// Why a request is refused before it is complete.
    enum Cause: Equatable { case late, noRoom, tooLarge }

    enum Action: Equatable {
        case nothing
        /// Starts a deadline, replacing the previous one.
        case limit(TimeAmount)
        case noLimit
        /// Drops the bytes.
        case drop
        /// Refuses the request and starts a deadline.
        case refuse(Cause, TimeAmount)
        case close
    }

    private enum State {
        case awaitingHead, receiving, refused, answering
        /// The response was sent before the request was complete. The remaining bytes are read, so that the client gets
        /// to read the response.
        case draining(left: Int)
    }

    private let limits: Limits
    private var state = State.awaitingHead
    /// Number of requests without a complete response. A client may pipeline requests.
    private var open = 0
    /// Bytes received of the current body.
    private var received = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether every request has a complete response.
    var isAnswered: Bool { open == 0 }

    /// Whether incoming bytes are read and dropped.
    var isDraining: Bool { if case .draining = state { true } else { false } }

    mutating func connected() -> Action { .limit(limits.head) }

    mutating func headCame() -> Action {
        if case .draining = state { return .close }
        open += 1
        received = 0
        state = .receiving
        return .limit(limits.body)
    }

    mutating func bytesCame(_ count: Int) -> Action {
        switch state {
        case .refused: return .drop
        case .draining(let left):
            guard count <= left else { return .close }
            state = .draining(left: left - count)
            return .drop
        case .awaitingHead, .receiving, .answering:
            received += count
            guard received <= limits.bodyBytes else {
                state = .refused
                return .refuse(.tooLarge, limits.rest)
            }
            return .nothing
        }
    }

    /// Refuses a request because the byte budget has no room for the received bytes.
    mutating func roomEnded() -> Action {
        state = .refused
        return .refuse(.noRoom, limits.rest)
    }

    mutating func requestEnded() -> Action {
        switch state {
        case .draining: return .close
        case .receiving, .refused, .awaitingHead, .answering:
            state = open > 0 ? .answering : .awaitingHead
            return open > 0 ? .noLimit : .limit(limits.head)
        }
    }

    mutating func answerEnded() -> Action {
        open = max(0, open - 1)
        switch state {
        case .receiving where open == 0, .refused where open == 0:
            state = .draining(left: limits.restBytes)
            return .limit(limits.rest)
        case .answering where open == 0:
            state = .awaitingHead
            return .limit(limits.head)
        case .receiving, .refused, .answering, .awaitingHead, .draining: return .nothing
        }
    }

    mutating func limitPassed() -> Action {
        switch state {
        case .receiving:
            state = .refused
            return .refuse(.late, limits.rest)
        case .awaitingHead, .refused, .draining: return .close
        case .answering: return .nothing
        }
    }
}
