import FerryCore
import FerryRules
import NIOCore
import Synchronization

/// A response that fits in memory.
struct ReceivedResponse: Sendable {
    let head: ReceivedHead
    let body: ByteBuffer
    var trailers: [HeaderField] = []
}

/// A request whose response is expected to fit in memory, and the response.
final class ShortExchange: ResponseReceiver {
    enum End: Sendable {
        case response(ReceivedResponse)
        /// The response does not fit in memory, or the request has to be sent again.
        case unanswered
        case failed(ServiceError)
    }

    /// Ends a request whose response is left to a ``TransferRun``.
    private struct TooLarge: Error {}

    private struct State {
        var head: ReceivedHead?
        var body = ByteBuffer()
        /// The request, which keeps this exchange alive until its end.
        var request: PooledRequest?
        var places: Int?
        var continuation: CheckedContinuation<End, Never>?
        var end: End?
    }

    /// Maximum size of a body in bytes.
    static let largestBody = 64 << 10

    private let state = Mutex(State())
    private let lastByte = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

    /// Sends the request, and waits for its end.
    func send(isolation: isolated (any Actor)? = #isolation, _ request: PooledRequest) async -> End {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { (state.continuation, state.request) = (continuation, request) }
                return state.end
            }
            if let end { continuation.resume(returning: end) } else { request.begin() }
        }
    }

    /// Time of the last received byte, or of the beginning.
    var activity: NIODeadline { .uptimeNanoseconds(lastByte.load(ordering: .relaxed)) }

    /// Whether part of the response has been received.
    var hasBegun: Bool { state.withLock { $0.head != nil } }

    /// How many requests the connection took at a time.
    var places: Int? { state.withLock(\.places) }

    /// Ends the request by a decision of the engine.
    func fail(_ error: ServiceError) { finish(.failed(error))?.fail(reason: error) }

    /// Ends the exchange, unless it has ended.
    ///
    /// - Returns: The request.
    @discardableResult
    private func finish(_ end: End) -> PooledRequest? {
        let (continuation, request) = state.withLock { state in
            state.end = state.end ?? end
            state.places = state.places ?? state.request?.places
            return (state.continuation.take(), state.request.take())
        }
        continuation?.resume(returning: end)
        return request
    }

    // MARK: Events of the connection

    var isSuccess: Bool { state.withLock { $0.head.map { (200..<300).contains($0.status) } ?? false } }

    func touch() { lastByte.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    func sentPart(_ count: Int) {}

    func sentRequest() {}

    func received(_ head: ReceivedHead) {
        touch()
        state.withLock { $0.head = head }
    }

    func received(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        touch()
        let isTooLarge = state.withLock { state in
            if state.body.readableBytes == 0 {
                state.body = part.withoutSlack
            } else {
                state.body.writeImmutableBuffer(part)
            }
            return state.body.readableBytes > Self.largestBody
        }
        if isTooLarge { finish(.unanswered)?.fail(reason: TooLarge()) }
        return nil
    }

    func finishedResponse(_ trailers: [HeaderField]) {
        let response = state.withLock { state in
            state.head.map { ReceivedResponse(head: $0, body: state.body, trailers: trailers) }
        }
        finish(response.map(End.response) ?? .unanswered)
    }

    func failed(_ error: any Error) {
        let (request, hasBegun) = state.withLock { ($0.request, $0.head != nil) }
        guard let request, !hasBegun else {
            _ = finish(.unanswered)
            return
        }
        // A stale connection or a refusal of HTTP/2 fails nothing, and a certificate has more to be said about.
        let isOfHTTP2 = request.isOverHTTP2 && ClientFailure.isOfHTTP2(error)
        let failure = ClientFailure.transferError(error, url: request.url, phase: .beforeHead)
        let isAgain = failure == ClientFailure.staleConnection || isOfHTTP2 || failure.code == .tlsCertificate
        finish(isAgain ? .unanswered : .failed(failure))
    }
}
