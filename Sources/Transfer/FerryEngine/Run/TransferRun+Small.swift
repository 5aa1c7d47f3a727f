import FerryCore
import FerryRules
import Foundation
import NIOCore
import Synchronization

/// Bodies received completely in memory before their file is created.
extension TransferRun {
    /// Maximum size of a body collected in memory.
    private static let gatheredSize: Int64 = 64 << 10

    /// Returns whether to collect an accepted body in memory, so that its file is created and placed in a batch.
    func isSmall(_ body: AcceptedBody) -> Bool {
        guard let length = body.completeLength, length <= Self.gatheredSize, body.end ?? length == length else {
            return false
        }
        return partial == nil && facts.partial == nil && facts.copy == nil && job.request.file.partialFolder == nil
            && job.request.timing.minSpeed == 0 && job.gate.isOpen
    }

    /// Receives a small body and places it. The normal steps handle any obstacle.
    ///
    /// - Returns: `nil` if missing bytes have to be requested.
    func receiveSmall(_ body: AcceptedBody, _ answer: Answer) async throws(ServiceError) -> Outcome.Success? {
        let length = body.completeLength ?? 0
        let (bytes, failure) = await answer.exchange.gather(Int(length), job.progress)
        let stated = answer.statedDigest(from: 0)
        let computed = stated.flatMap { SmallBody.digest($0.algorithms, of: bytes) }?.finalize() ?? []
        if failure == nil, Int64(bytes.readableBytes) == length, stated?.difference(from: computed) == nil {
            if let success = try await placeSmall(bytes) { return success }
            if partial != nil { return try await finish() }
        }
        if let success = try await makeFile(of: body.completeLength) { return success }
        try await store(bytes, failure, until: length, stated)
        return try await finish()
    }

    /// Places a complete file from memory, in a batch with others.
    ///
    /// These are steps 3 to 11 of docs/behaviour/transfers.md#D1.
    ///
    /// - Returns: `nil` if the normal steps have to continue, from the partial file if it was recorded.
    private func placeSmall(_ bytes: ByteBuffer) async throws(ServiceError) -> Outcome.Success? {
        let size = Int64(bytes.readableBytes)
        guard
            job.request.response.expectedSize ?? size == size || facts.notes.contains(BodyNote.statusIsResult.rawValue)
        else {
            return nil
        }
        let body = SmallBody(job: job, bytes: bytes)
        let judged = body.judge(expectedDigests)
        guard judged.mismatched.isEmpty else { return nil }
        job.progress.received.store(size, ordering: .relaxed)
        noteCost()
        let new = max(0, size - facts.frontier)
        await journal.isWhole(job.id, inMemory: true, isolation: self)
        let file = body.file($facts, options, judged, umask: engine.configuration.umask, journal: journal)
        switch await engine.smallFiles(at: place).place(file) {
        case .notMade: return nil
        case .recorded(let facts, let partial):
            ($facts, self.partial) = (facts, partial)
            (cost.gained, cost.isWhole) = (cost.gained + new, true)
            return nil
        case .failed(let error, let facts):
            if let facts { $facts = facts }
            throw error
        case .placed(let facts):
            $facts = facts
            cost.gained += new
            return body.success(self.facts, options, judged)
        }
    }
}
