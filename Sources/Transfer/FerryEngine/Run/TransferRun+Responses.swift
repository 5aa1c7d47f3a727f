import FerryCore
import FerryRules
import Foundation
import NIOCore
import Synchronization

/// Accepting responses: what their bodies mean for the file.
extension TransferRun {
    /// Stores a body from position 0.
    ///
    /// - Returns: The outcome if the head alone decides it (conflict policy `skip`) or the body completed the file.
    func start(_ body: AcceptedBody, _ answer: Answer, _ variant: RequestVariant) async throws(ServiceError) -> Outcome
        .Success?
    {
        let coding = try coding(of: answer)
        var body = body
        if coding != nil { body.becomeDecoded() }
        var isGathered = false
        do throws(ServiceError) {
            try await accept(body, answer, variant)
            isGathered = coding == nil && isSmall(body)
            if !isGathered, let success = try await file.makeFile(of: body.completeLength) {
                await answer.exchange.close()
                return success
            }
        } catch {
            await answer.exchange.close()
            throw error
        }
        let length = body.completeLength
        let end = body.end ?? length
        job.progress.received.store(0, ordering: .relaxed)
        job.progress.expected.store(length ?? -1, ordering: .relaxed)
        if !isGathered, coding == nil, let length, mayShare(answer, length: length, from: 0) {
            try await receiveTogether(answer, from: 0, until: end ?? length, length: length)
            guard attempt.facts.ranges.contains(0..<length) else { return nil }
            return try await placement.finish()
        }
        dropEarlyConnections()
        if isGathered { return try await receiveSmall(body, answer) }
        try await receive(
            answer, from: 0, until: end, completeLength: length, coding: coding)
        if length != nil, end == length {
            // The complete body was received, whichever part of the resource it is.
            return try await placement.finish()
        }
        if length == nil, body.end == nil {
            // The end of a complete body is the end of the file. The end of a part says nothing about it.
            let received = attempt.facts.ranges.upperBound
            attempt.facts.identity?.completeLength = received
            attempt.facts.lengthVerified = body.framing != .untilClose || job.request.response.expectedSize != nil
            return try await placement.finish()
        }
        return nil
    }

    /// Continues at an offset of the partial file.
    func proceed(
        at offset: Int64, until: Int64, identity: ResourceIdentity, _ answer: Answer
    ) async throws(ServiceError) {
        do throws(ServiceError) {
            guard attempt.partial != nil else { throw ServiceError(.partialLost, "The partial file is gone.") }
            let lacksResponse = keepsResponse && (attempt.facts.response.map(isRefusal) ?? true)
            // The file changes from here on. After a crash this must not look like a change by another program.
            let isSealed = attempt.facts.stamp != nil
            attempt.facts.stamp = nil
            if attempt.facts.identity != identity || !attempt.facts.joined || lacksResponse || isSealed {
                attempt.facts.identity = identity
                attempt.facts.joined = true
                attempt.facts.noteWay(answer.course)
                if lacksResponse { noteResponse(answer.head, answer.url) }
                try await attempt.record()
            }
            try await file.checkSpace(missing: (identity.completeLength ?? until) - attempt.facts.ranges.byteCount)
        } catch {
            await answer.exchange.close()
            throw error
        }
        job.progress.received.store(attempt.facts.ranges.byteCount, ordering: .relaxed)
        job.progress.expected.store(identity.completeLength ?? -1, ordering: .relaxed)
        if let length = identity.completeLength, mayShare(answer, length: length, from: offset) {
            return try await receiveTogether(answer, from: offset, until: until, length: length)
        }
        dropEarlyConnections()
        try await receive(
            answer, from: offset, until: until, completeLength: identity.completeLength)
    }

    // MARK: -

    /// Discards the bytes on disk and fixes the name (docs/behaviour/transfers.md#D1, step 2).
    private func accept(_ body: AcceptedBody, _ answer: Answer, _ variant: RequestVariant) async throws(ServiceError) {
        attempt.reached(.headAccepted)
        if !attempt.facts.ranges.isEmpty || attempt.facts.identity != nil || attempt.facts.needsTruncation {
            // An attempt that stored nothing discards nothing, so there is nothing to report.
            let reason = variant.restart ?? body.restart
            attempt.facts.startOver(note: reason?.note, isSameVersion: reason?.isOtherVersion != true)
            if attempt.partial != nil || attempt.facts.partial != nil {
                try await attempt.record()
                attempt.reached(.restartCommitted)
            }
        }
        if keepsResponse { noteResponse(answer.head, answer.url) }
        attempt.facts.accept(body, answer.head, answer.course, for: job, original: try attempt.sources.original.get())
    }

    /// Returns the content coding to decode. A part of coded content has none.
    ///
    /// - Throws: ``ServiceError`` with code `bad_response` for an unsupported coding.
    private func coding(of answer: Answer) throws(ServiceError) -> ContentDecoder.Coding? {
        guard job.request.response.decode, answer.head.status != 206, answer.course.method != "HEAD" else { return nil }
        do throws(ServiceError) {
            return try ContentDecoder.coding(of: answer.head)
        } catch {
            // A client that accepts every response as a result gets the encoded body.
            guard job.request.response.statusPolicy == .any else { throw error }
            return nil
        }
    }

    private var keepsResponse: Bool {
        job.request.note != nil || job.request.file.spooled || job.request.direction == .upload
            || job.request.response.acceptableStatuses != nil
    }

    private func noteResponse(_ head: ResponseHead, _ url: HTTPURL) {
        attempt.facts.response = head.facts
        attempt.facts.response?.url = url.withoutUserinfo.string
    }

    /// Stores the head of a response that is not a result, for a caller that specified which ones are.
    func noteRefusal(_ head: ResponseHead, _ url: HTTPURL) {
        if let accepted = acceptedStatuses, !accepted.contains(head.status) { noteResponse(head, url) }
    }

    /// The statuses whose responses are not refusals, if the client is interested in them.
    private var acceptedStatuses: StatusRange? {
        job.request.response.acceptableStatuses ?? (job.request.response.statusPolicy == .any ? .success : nil)
    }

    /// Returns whether a stored response is a refusal, not the one the bytes came with. A part of the requested range
    /// is no refusal.
    private func isRefusal(_ response: ResponseFacts) -> Bool {
        guard let accepted = acceptedStatuses else { return false }
        return response.status != 206 && !accepted.contains(response.status)
    }

    // MARK: Small bodies

    /// Maximum size of a body collected in memory.
    private static let gatheredSize: Int64 = 64 << 10

    /// Returns whether to collect an accepted body in memory, so that its file is created and placed in a batch.
    func isSmall(_ body: AcceptedBody) -> Bool {
        guard let length = body.completeLength, length <= Self.gatheredSize, body.end ?? length == length else {
            return false
        }
        return attempt.partial == nil && attempt.facts.partial == nil && attempt.facts.copy == nil
            && job.request.file.partialFolder == nil
            && job.request.timing.minSpeed == 0 && job.gate.isOpen
    }

    /// Receives a small body and places it. The normal steps handle any obstacle.
    ///
    /// - Returns: `nil` if missing bytes have to be requested.
    func receiveSmall(_ body: AcceptedBody, _ answer: Answer) async throws(ServiceError) -> Outcome.Success? {
        let length = body.completeLength ?? 0
        let (bytes, failure) = await answer.exchange.gather(Int(length), job.progress)
        if failure == nil { takeTrailers(of: answer, content: 0..<length) }
        let stated = answer.statedDigest(from: 0)
        let computed = stated.flatMap { SmallBody.digest($0.algorithms, of: bytes) }?.finalize() ?? []
        // A digest in the trailers is compared with the file.
        let isSettled = attempt.facts.pendingDigests.isEmpty && stated?.difference(from: computed) == nil
        if failure == nil, Int64(bytes.readableBytes) == length, isSettled {
            if let success = try await placeSmall(bytes) { return success }
            if attempt.partial != nil { return try await placement.finish() }
        }
        if let success = try await file.makeFile(of: body.completeLength) { return success }
        try await store(bytes, failure, until: length, stated)
        return try await placement.finish()
    }

    /// Places a complete file from memory, in a batch with others.
    ///
    /// These are steps 3 to 11 of docs/behaviour/transfers.md#D1.
    ///
    /// - Returns: `nil` if the normal steps have to continue, from the partial file if it was recorded.
    private func placeSmall(_ bytes: ByteBuffer) async throws(ServiceError) -> Outcome.Success? {
        let size = Int64(bytes.readableBytes)
        guard
            job.request.response.expectedSize ?? size == size
                || attempt.facts.notes.contains(BodyNote.statusIsResult.rawValue)
        else {
            return nil
        }
        let body = SmallBody(job: job, bytes: bytes)
        let judged = body.judge(attempt.expectedDigests)
        guard judged.mismatched.isEmpty else { return nil }
        job.progress.received.store(size, ordering: .relaxed)
        attempt.noteCost()
        let new = max(0, size - attempt.facts.frontier)
        await journal.isWhole(job.id, inMemory: true, isolation: self)
        attempt.options.rename(&attempt.facts)
        let file = await body.file(attempt.$facts, attempt.options, judged, of: engine, journal: journal)
        switch await engine.smallFiles(at: attempt.place).place(file) {
        case .notMade: return nil
        case .recorded(let facts, let partial):
            attempt.$facts = facts
            attempt.partial = partial
            attempt.cost.gained += new
            attempt.cost.isWhole = true
            return nil
        case .failed(let error, let facts):
            if let facts { attempt.$facts = facts }
            throw error
        case .placed(let facts):
            attempt.$facts = facts
            attempt.cost.gained += new
            return body.success(attempt.facts, attempt.options, judged)
        }
    }
}
