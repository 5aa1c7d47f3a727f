package import FerryCore
package import FerryRules
package import Foundation
import NIOCore
import Synchronization

/// One request with a response read part by part, including redirects and challenges.
///
/// Call `head`, then `part` until it returns `nil`. The socket is read only when the reader requests a part, so memory
/// stays bounded even with a slow reader. `cancel` may be called at any time: waiting calls fail at once, whatever an
/// advisor, a server or a body source does.
package final class Load: Sendable {
    private struct State {
        var exchange: Exchange?
        var isCanceled = false
        var recorders: [ExchangeRecorder] = []
        var decoder: ContentDecoder?
        /// Body bytes announced by the head. `received` counts the received ones.
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

    /// Ends the exchange: a load without references has no reader.
    deinit {
        queue.cancel()
        state.withLock(\.exchange)?.stop()
    }

    /// Sets a closure called on the event loop for each informational response. Set it before `head`.
    package func onInformational(_ body: @escaping @Sendable (ResponseHead) -> Void) {
        state.withLock { $0.onInformational = body }
    }

    /// Sets a closure called on the event loop with the body bytes sent by the current request. Set it before `head`.
    package func onSent(_ body: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.onSent = body } }

    /// Sends the request, follows redirects, answers challenges, and returns the final head. Call it once.
    ///
    /// - Throws: ``ServiceError``. `canceled` after `cancel` or if the advisor cancels.
    package func head() async throws(ServiceError) -> ResponseHead {
        // The task may wait for a body source that never answers. The caller must not.
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

    /// Returns the next part of the body, or `nil` at its end and after it.
    ///
    /// - Throws: ``ServiceError``: `connection_lost` for a body shorter than announced, `canceled` after `cancel`.
    package func part() async throws(ServiceError) -> Data? {
        let result = await withTaskCancellationHandler { () async -> Result<Data?, ServiceError> in
            do throws(ServiceError) { return .success(try await self.nextPart()) } catch { return .failure(error) }
        } onCancel: {
            self.cancel()
        }
        return try result.get()
    }

    /// Cancels the load. Repeated calls have no effect.
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

    /// The requests made, in order, with the facts known so far.
    package var exchanges: [ExchangeFacts] {
        let (recorders, decoded) = state.withLock { ($0.recorders, $0.decoder?.decoded) }
        var facts = recorders.map(\.facts)
        if let decoded { facts[facts.count - 1].decodedBodyBytes = decoded }
        return facts
    }

    /// The state for another load to continue the upload, or `nil` if the server keeps none of it.
    package var upload: UploadFacts? {
        let facts = state.withLock(\.upload)?.facts
        return facts?.resource == nil ? nil : facts
    }

    /// The uploaded file as it was when the upload began, or `nil` for bytes in memory.
    package var uploadedFile: RequestBody.SentFile? {
        guard case .file(let file, _) = state.withLock(\.upload)?.content else { return nil }
        return file.noted
    }

    // MARK: Used by the course

    /// Sets the upload behind ``upload``.
    func carries(_ upload: Upload) { state.withLock { $0.upload = upload } }

    func checkCanceled() throws(ServiceError) {
        if state.withLock(\.isCanceled) { throw ExchangeEnd.stopped }
    }

    /// Sends one request. A concurrent cancel ends it.
    ///
    /// - Parameter start: Position of the request's body within the uploaded content.
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

    /// Begins to pass on the body of the final response as the reader requests it.
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
        throw ServiceError(.connectionLost, "The connection closed \(missing) bytes before the end.")
    }
}
