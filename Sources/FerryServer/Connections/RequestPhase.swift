import NIOCore

/// Where a connection stands with its requests, and how long it may stay there. Performs nothing.
///
/// A client that says nothing, or says it without end, costs memory and a connection that others need. What the daemon
/// itself takes its time for has no limit: answers to slow calls, and streams.
struct RequestPhase {
    struct Limits {
        /// Until the head of a request is there, since the connection began or the last answer ended.
        var head = TimeAmount.seconds(60)
        /// Until a request that has begun is whole.
        var body = TimeAmount.minutes(2)
        /// Until the rest of a request that was answered early is there; the rest is dropped.
        var rest = TimeAmount.seconds(5)
        /// Bytes of that rest.
        var restBytes = 16 << 20
        /// Bytes of one request's body.
        var bodyBytes = Int.max
        /// Bytes of all requests together that are not answered: four of the largest.
        var allBytes = 256 << 20
    }

    /// Why a request is refused before it is whole.
    enum Cause: Equatable { case late, noRoom, tooLarge }

    enum Action: Equatable {
        case nothing
        /// A limit begins, in place of the one before.
        case limit(TimeAmount)
        case noLimit
        /// The bytes are not handed on.
        case drop
        /// The request is refused, and a limit begins.
        case refuse(Cause, TimeAmount)
        case close
    }

    private enum State {
        case awaitingHead, receiving, refused, answering
        /// The answer was sent before the request was whole: its rest is read, so that the client comes to the answer.
        case draining(left: Int)
    }

    private let limits: Limits
    private var state = State.awaitingHead
    /// Requests whose answers have not ended; a client may send the next before it has the answer to the last.
    private var open = 0
    /// Bytes of the body that is being received.
    private var received = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether every request that came was answered.
    var isAnswered: Bool { open == 0 }

    /// Whether what comes is read and not handed on.
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

    /// There is no room for the bytes that came.
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
