import FerryCore
import Foundation
import NIOCore
import Synchronization

/// One upload while it is carried: its decisions, and the content that its requests send.
///
/// The event loop that receives a 104, the task that reads the content and the conversation that waits for the answer all come
/// here. No byte is sent after a 104 before the upload resource that it names has been recorded.
final class Upload: Sendable {
    /// The services of the attempt or load that carries the upload.
    struct Place: Sendable {
        /// Limits of the rate; nil is none.
        var gate: RateGate?
        /// Called with the size of each piece that is sent.
        var onSent: @Sendable (Int) -> Void = { _ in }
        /// Makes facts durable.
        var record: @Sendable (UploadFacts) async throws(ServiceError) -> Void = { _ throws(ServiceError) in }
    }

    private struct State {
        var machine: UploadMachine
        /// Makes facts durable, before more is sent.
        var recording: Task<Void, any Error>?
        /// The stream of the present request; earlier ones may still be read.
        var stream = 0
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

    /// The part of the present request, from its beginning; nil if it sends nothing.
    ///
    /// A request that is made again, after a redirect or a challenge, has a stream of its own: the one before may still be read.
    func body() -> RequestBodyStream? {
        let (request, stream) = state.withLock { state in
            state.stream += 1
            state.machine.repeats()
            return (state.machine.request, state.stream)
        }
        guard let part = request.part else { return nil }
        var isPart = false
        if case .append = request { isPart = true }
        let reader = UploadReader(content, part, gate: place.gate)
        return RequestBodyStream(length: part.upperBound - part.lowerBound, isPart: isPart) { piece in
            try await self.recorded()
            reader.sends(piece)
            self.sent(to: reader.end, by: stream)
            self.place.onSent(piece.readableBytes)
        } source: {
            try await reader.next()
        }
    }

    private func sent(to position: Int64, by stream: Int) {
        state.withLock { state in
            guard stream == state.stream else { return }
            state.sent = max(state.sent, position)
            // Also after the answer has come: the server may keep what comes behind it.
            state.machine.sent(to: position)
        }
    }

    // MARK: The machine

    /// Notes that the present request goes out.
    func begin() async throws(ServiceError) -> UploadRequest {
        let request = state.withLock { state in
            state.reach = state.machine.facts.reach
            state.sent = 0
            state.machine.begins()
            // Before a server is known to keep anything, nothing is to be remembered.
            if state.machine.isResumable, state.machine.facts.reach > state.reach { record(&state) }
            return state.machine.request
        }
        try await recorded()
        return request
    }

    /// Takes in informational responses to the present request, on the event loop that receives them.
    func informing() -> @Sendable (ResponseHead) -> Void {
        let stream = state.withLock(\.stream)
        return { [weak self] head in self?.informed(head, stream) }
    }

    private func informed(_ head: ResponseHead, _ stream: Int) {
        guard let url = try? HTTPURL(parsing: head.url) else { return }
        state.withLock { state in
            guard stream == state.stream, state.machine.informed(head, from: url, sent: state.sent) else { return }
            record(&state)
        }
    }

    /// Notes that the present request has ended, with or without an answer.
    func end() async throws(ServiceError) {
        state.withLock { $0.machine.ended(at: $0.sent, before: $0.reach) }
        try await recorded()
    }

    func answered(_ head: ResponseHead, from url: HTTPURL) -> UploadMachine.Step {
        state.withLock { $0.machine.answered(head, from: url) }
    }

    // MARK: What is durable

    private func record(_ state: inout State) {
        let (facts, before) = (state.machine.facts, state.recording)
        state.recording = Task(name: "upload resource") { [place] in
            try await before?.value
            try await place.record(facts)
        }
    }

    /// Returns once the facts are durable that were to be recorded.
    private func recorded() async throws(ServiceError) {
        guard let recording = state.withLock(\.recording) else { return }
        do {
            try await recording.value
        } catch {
            throw error as? ServiceError ?? ServiceError(.internal, "An upload was not recorded: \(error)")
        }
        state.withLock { if $0.recording == recording { $0.recording = nil } }
    }
}
