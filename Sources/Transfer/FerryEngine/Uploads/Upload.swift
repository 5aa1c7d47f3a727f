import FerryCore
import FerryRules
import Foundation
import NIOCore
import Synchronization

/// One upload in progress: its decisions, and the content of its requests.
///
/// Used by the event loop that receives a 104, the task that reads the content, and the conversation that waits for the
/// response. After a 104, no byte is sent before the upload resource named by it is recorded.
final class Upload: Sendable {
    /// The services of the attempt or load that performs the upload.
    struct Place: Sendable {
        /// Rate limits. `nil` for none.
        var gate: RateGate?
        /// Called with the size of each piece sent.
        var onSent: @Sendable (Int) -> Void = { _ in }
        /// Makes facts durable.
        var record: @Sendable (UploadFacts) async throws(ServiceError) -> Void = { _ throws(ServiceError) in }
    }

    private struct State {
        var machine: UploadMachine
        /// The running task that makes facts durable. No more is sent before it finishes.
        var recording: Task<Void, any Error>?
        /// Number of the current request's stream. Earlier streams may still be read.
        var stream = 0
        /// Position up to which a connection of the current request has been given the content.
        var sent: Int64 = 0
        /// Upper bound of the bytes sent before the current request.
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

    /// Whether the server keeps received bytes.
    var isResumable: Bool { state.withLock(\.machine.isResumable) }

    /// The next or current request.
    var request: UploadRequest { state.withLock(\.machine.request) }

    /// Position in the content at which the current request's part begins.
    var start: Int64 { request.part?.lowerBound ?? facts.offset }

    // MARK: The body

    /// Returns the part of the current request, from its beginning. `nil` if it sends nothing.
    ///
    /// A repeated request, after a redirect or a challenge, has its own stream: the previous one may still be read.
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
            // Also after the response: the server may keep bytes sent later.
            state.machine.sent(to: position)
        }
    }

    // MARK: The machine

    /// Records that the current request is being sent.
    func begin() async throws(ServiceError) -> UploadRequest {
        let request = state.withLock { state in
            state.reach = state.machine.facts.reach
            state.sent = 0
            state.machine.begins()
            // Until a server is known to keep bytes, there is nothing to record.
            if state.machine.isResumable, state.machine.facts.reach > state.reach { record(&state) }
            return state.machine.request
        }
        try await recorded()
        return request
    }

    /// Returns a closure that handles informational responses to the current request. It runs on the event loop that
    /// receives them.
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

    /// Records that the current request has ended, with or without a response.
    func end() async throws(ServiceError) {
        state.withLock { $0.machine.ended(at: $0.sent, before: $0.reach) }
        try await recorded()
    }

    func answered(_ head: ResponseHead, from url: HTTPURL) -> UploadMachine.Step {
        state.withLock { $0.machine.answered(head, from: url) }
    }

    // MARK: Durable facts

    private func record(_ state: inout State) {
        let (facts, before) = (state.machine.facts, state.recording)
        state.recording = Task(name: "upload resource") { [place] in
            try await before?.value
            try await place.record(facts)
        }
    }

    /// Returns once all pending facts are durable.
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
