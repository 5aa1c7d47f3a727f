package import FerryCore
package import Foundation
import NIOCore
import Synchronization

/// One request whose response is read part by part, with the redirects and challenges on the way.
///
/// Used in this order: `head`, then `part` until nil. The socket is not read until the reader asks for a part, so memory
/// stays bounded however slow the reader is. `cancel` may come at any time: calls that wait then fail at once, whatever an
/// advisor, a server or a source of the body does.
package final class Load: Sendable {
    private struct State {
        var exchange: Exchange?
        var isCanceled = false
        var recorders: [ExchangeRecorder] = []
        var decoder: ContentDecoder?
        /// Body bytes that the head promised; `received` counts the body bytes that came.
        var expected: Int64?
        var received: Int64 = 0
        var onInformational: (@Sendable (ResponseHead) -> Void)?
        var onSent: (@Sendable (Int64) -> Void)?
        var upload: Upload?
    }

    let request: LoadRequest
    let engine: Engine
    let advisor: (any ExchangeAdvisor)?
    let questions: ClientQuestions?
    let pauses = Pauses()
    let loop: Int
    private let state: Mutex<State>
    private let queue = PartQueue()
    private let answered = Once<ResponseHead>()

    package init(_ request: LoadRequest, engine: Engine, advisor: (any ExchangeAdvisor)?) {
        self.request = request
        self.engine = engine
        self.advisor = advisor
        questions = advisor.map(ClientQuestions.init)
        loop = engine.takeLoop()
        state = Mutex(State())
    }

    /// A load that is no longer referenced has no reader, so its exchange ends.
    deinit {
        queue.cancel()
        state.withLock(\.exchange)?.stop()
    }

    /// Called on the event loop for each informational response; set it before `head`.
    package func onInformational(_ body: @escaping @Sendable (ResponseHead) -> Void) {
        state.withLock { $0.onInformational = body }
    }

    /// Called on the event loop with the body bytes that the current request has sent; set it before `head`.
    package func onSent(_ body: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.onSent = body } }

    /// Sends the request, follows redirects, answers challenges, and brings the final head. Call once.
    ///
    /// - Throws: ``ServiceError``; `canceled` after `cancel` or by the advisor's word.
    package func head() async throws(ServiceError) -> ResponseHead {
        // The course may wait for a source of the body that never answers; the caller must not.
        Task(name: "load") {
            var result: Result<ResponseHead, ServiceError>
            do throws(ServiceError) {
                result = .success(try await self.course())
            } catch {
                result = .failure(error)
                self.state.withLock(\.exchange)?.stop()
            }
            self.answered.settle(result)
        }
        let result = await withTaskCancellationHandler {
            await self.answered.result()
        } onCancel: {
            self.cancel()
        }
        return try result.get()
    }

    /// The next part of the body; nil at its end, and again after it.
    ///
    /// - Throws: ``ServiceError``: `connection_lost` for a body shorter than it was stated, `canceled` after `cancel`.
    package func part() async throws(ServiceError) -> Data? {
        let result = await withTaskCancellationHandler { () async -> Result<Data?, ServiceError> in
            do throws(ServiceError) { return .success(try await self.nextPart()) } catch { return .failure(error) }
        } onCancel: {
            self.cancel()
        }
        return try result.get()
    }

    /// Ends everything; twice is once.
    package func cancel() {
        let exchange = state.withLock { state in
            state.isCanceled = true
            return state.exchange
        }
        answered.settle(.failure(ExchangeEnd.stopped))
        questions?.giveUp()
        pauses.end()
        queue.cancel()
        exchange?.stop()
    }

    /// Every request that was made, in order, with what is known of it so far.
    package var exchanges: [ExchangeFacts] {
        let (recorders, decoded) = state.withLock { ($0.recorders, $0.decoder?.decoded) }
        var facts = recorders.map(\.facts)
        if let decoded { facts[facts.count - 1].decodedBodyBytes = decoded }
        return facts
    }

    /// The state from which another load continues the upload; nil where the server keeps nothing of it.
    package var upload: UploadFacts? {
        let facts = state.withLock(\.upload)?.facts
        return facts?.resource == nil ? nil : facts
    }

    /// The file that is uploaded, as it was when the upload began; nil for bytes in memory.
    package var uploadedFile: RequestBody.SentFile? {
        guard case .file(let file, _) = state.withLock(\.upload)?.content else { return nil }
        return file.noted
    }

    // MARK: For the course

    /// The upload is under way that ``upload`` speaks of.
    func carries(_ upload: Upload) { state.withLock { $0.upload = upload } }

    func checkCanceled() throws(ServiceError) {
        if state.withLock(\.isCanceled) { throw ExchangeEnd.stopped }
    }

    /// Sends one request; a cancel that comes meanwhile ends it.
    ///
    /// - Parameter start: where its body begins in the content that is sent.
    func open(_ request: ExchangeRequest, from start: Int64 = 0) throws(ServiceError) -> Exchange {
        var request = request
        let (onInformational, onSent) = state.withLock { ($0.onInformational, $0.onSent) }
        if let onSent { request.onSent = { onSent(start + $0) } }
        let takesFirst = request.onInformational
        request.onInformational = { head in
            takesFirst?(head)
            onInformational?(head)
        }
        let exchange = try engine.open(request)
        let isCanceled = state.withLock { state in
            state.exchange = exchange
            if let recorder = exchange.recorder { state.recorders.append(recorder) }
            return state.isCanceled
        }
        if isCanceled {
            exchange.stop()
            throw ExchangeEnd.stopped
        }
        return exchange
    }

    /// Lets the body of the final response come as it is asked for.
    func begin(_ exchange: Exchange, coding: ContentDecoder.Coding?, expected: Int64?) throws(ServiceError) {
        try state.withLock { (state: inout sending State) throws(ServiceError) in
            state.expected = expected
            if let coding { state.decoder = try ContentDecoder(coding) }
        }
        exchange.hand(to: queue)
    }

    // MARK: The body

    private func nextPart() async throws(ServiceError) -> Data? {
        while true {
            if let piece = try decodedPiece() { return Data(piece.readableBytesView) }
            guard let part = try await received() else {
                try checkEnd()
                return nil
            }
            let isDecoding = state.withLock { state in
                state.received += Int64(part.readableBytes)
                state.decoder?.feed(part)
                return state.decoder != nil
            }
            if !isDecoding { return Data(part.readableBytesView) }
        }
    }

    private func decodedPiece() throws(ServiceError) -> ByteBuffer? {
        do throws(ServiceError) {
            return try state.withLock { (state: inout sending State) throws(ServiceError) in
                try state.decoder?.next()
            }
        } catch {
            state.withLock(\.exchange)?.stop(with: error)
            queue.cancel()
            throw error
        }
    }

    private func received() async throws(ServiceError) -> ByteBuffer? {
        let watch = state.withLock(\.exchange)?.watch(request.idleTimeout ?? .infinity, message: "stopped sending")
        defer { watch?.cancel() }
        return try await queue.next()
    }

    private func checkEnd() throws(ServiceError) {
        let missing = try state.withLock { (state: inout sending State) throws(ServiceError) in
            let missing = state.expected.map { $0 - state.received } ?? 0
            if missing <= 0 { try state.decoder?.finish() }
            return missing
        }
        guard missing > 0 else { return }
        throw ServiceError(.connectionLost, "The connection ended \(missing) bytes before the end.")
    }
}
