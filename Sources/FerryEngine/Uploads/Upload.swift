import FerryCore
import Foundation
import NIOCore
import Synchronization

/// One upload while it is carried: its decisions, and the content that its requests send.
///
/// The event loop that receives a 104, the task that reads the content and the conversation that waits for the answer all come
/// here. No byte is sent after a 104 before the upload resource that it names has been recorded.
final class Upload: Sendable {
    /// What an upload needs of its attempt or load.
    struct Place: Sendable {
        /// Limits of the rate; nil is none.
        var gate: RateGate?
        /// Called with the size of each piece that is sent.
        var onSent: @Sendable (Int) -> Void = { _ in }
        /// Makes facts durable.
        var record: @Sendable (UploadFacts) async throws(TransferError) -> Void = { _ throws(TransferError) in }
    }

    private struct State {
        var machine: UploadMachine
        var isUnrecorded = false
        /// How far the content was given to a connection of the present request.
        var sent: Int64 = 0
        /// The most bytes that may have been sent before the present request.
        var reach: Int64 = 0
    }

    let content: UploadContent
    private let place: Place
    private let state: Mutex<State>

    init(_ machine: UploadMachine, _ content: UploadContent, _ place: Place) {
        self.content = content
        self.place = place
        state = Mutex(State(machine: machine))
    }

    var facts: UploadFacts { state.withLock(\.machine.facts) }

    /// Whether the server keeps what it gets.
    var isResumable: Bool { state.withLock(\.machine.isResumable) }

    /// The request that is made next, or is under way.
    var request: UploadRequest { state.withLock(\.machine.request) }

    /// Where the part of the present request begins in the content.
    var start: Int64 { request.part?.lowerBound ?? facts.offset }

    // MARK: The body

    /// The part of the present request, from its beginning.
    ///
    /// A request that is made again, after a redirect or a challenge, has a stream of its own: the one before may still be read.
    func body() -> RequestBodyStream? {
        let request = request
        guard let part = request.part else { return nil }
        var isPart = false
        if case .append = request { isPart = true }
        let reader = UploadReader(content, part, gate: place.gate)
        return RequestBodyStream(length: part.upperBound - part.lowerBound, isPart: isPart) { piece in
            try await self.recordIfNeeded()
            reader.sends(piece)
            self.state.withLock { $0.sent = max($0.sent, reader.end) }
            self.place.onSent(piece.readableBytes)
        } source: {
            try await reader.next()
        }
    }

    // MARK: The machine

    /// Notes that the present request goes out.
    func begin() async throws(TransferError) -> UploadRequest {
        let request = state.withLock { state in
            state.reach = state.machine.facts.reach
            state.sent = 0
            state.machine.begins()
            // Before a server is known to keep anything, nothing is to be remembered.
            if state.machine.isResumable, state.machine.facts.reach > state.reach { state.isUnrecorded = true }
            return state.machine.request
        }
        try await recordIfNeeded()
        return request
    }

    /// Takes in an informational response, on the event loop that received it.
    func informed(_ head: ResponseHead) {
        guard let url = try? HTTPURL(parsing: head.url) else { return }
        state.withLock { state in
            if state.machine.informed(head, from: url) { state.isUnrecorded = true }
        }
    }

    /// Notes that the present request has ended, with or without an answer.
    func end() { state.withLock { $0.machine.ended(at: $0.sent, before: $0.reach) } }

    func answered(_ head: ResponseHead, from url: HTTPURL) -> UploadMachine.Step {
        state.withLock { $0.machine.answered(head, from: url) }
    }

    private func recordIfNeeded() async throws(TransferError) {
        let facts: UploadFacts? = state.withLock { state in
            guard state.isUnrecorded else { return nil }
            state.isUnrecorded = false
            return state.machine.facts
        }
        if let facts { try await place.record(facts) }
    }
}
