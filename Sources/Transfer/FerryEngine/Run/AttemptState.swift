import FerryCore
import FerryDisk
import FerryRules
import Foundation
import Synchronization

/// The state that the parts of an attempt share: the durable facts, the file, and the cost.
///
/// Owned by its ``TransferRun``, on whose actor all parts use it.
final class AttemptState {
    let job: TransferJob
    let engine: Engine
    let journal: any FactsJournal
    /// The durable facts, and in between the ones about to become durable.
    @Boxed var facts: TransferFacts
    var partial: PartialFile?
    /// The file that an earlier transfer placed at the destination, if it is unchanged.
    var existing: ExistingFile?
    /// Options that may change during the attempt.
    var options: RunOptions
    var sources: AttemptSources
    var writes = AttemptWrites()
    /// Bytes received by this attempt, and how many of them were new, as of the last commit.
    var cost = AttemptCost()
    var ending = AttemptEnding()
    /// The place of the attempt's files. A blocked call there delays this attempt and others of that place.
    var place = DiskLane.Place.anywhere

    init(_ job: TransferJob, engine: Engine, journal: any FactsJournal) {
        self.job = job
        self.engine = engine
        self.journal = journal
        _facts = job.$facts
        existing = job.existing
        options = RunOptions(job.request)
        sources = AttemptSources(job.request)
        cost.frontier = job.facts.frontier
    }

    func checkStopping() throws(ServiceError) {
        if ending.isStopping { throw ExchangeEnd.stopped }
    }

    /// Drops a URL for this attempt, and records why.
    func dropSource(_ number: Int, _ reason: String) {
        guard let note = sources.drop(number, reason), !facts.notes.contains(note) else { return }
        facts.notes.append(note)
    }

    /// Digests that the complete file must have: the caller's and the server's.
    var expectedDigests: [Checksum] { options.expectedDigests(with: facts) }

    func reached(_ step: LifecycleStep) { engine.configuration.reached(step) }

    // MARK: Records

    /// Records the current facts.
    func record(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        noteCost()
        await extendPrefix()
        guard try await journal.record(facts, of: job.id, isolation: isolation) else {
            throw ServiceError(
                .destinationExists, "Another transfer has taken \(facts.destination ?? "the destination").")
        }
    }

    /// Extends the digest of the durable bytes, where nothing else proves that a file has them.
    private func extendPrefix(isolation: isolated (any Actor)? = #isolation) async {
        guard let partial, !partial.facts.keepsInode else { return }
        let begun = facts.prefix ?? PrefixDigest()
        let end = facts.ranges.contiguousEnd(from: 0)
        guard begun.count < end else { return }
        let extended = await disk.bulk.result { _ throws(DiskError) in try partial.digest(begun, to: end) }
        if case .success(let digest) = extended { facts.prefix = digest }
    }

    /// Updates the counts of received bytes, and of new bytes on disk.
    ///
    /// Called only while the facts describe durable bytes: before each commit, and at the end of the attempt.
    func noteCost() {
        let spent = job.progress.spent.load(ordering: .relaxed)
        cost.spent += spent - facts.bytesSpent
        // Unchanged facts keep sharing one box with the job and the queue.
        if facts.bytesSpent != spent { facts.bytesSpent = spent }
        if facts.ranges.byteCount > facts.frontier { cost.gained += facts.advance() }
        cost.frontier = max(cost.frontier, facts.frontier)
        AttemptUpload.count(facts.sending.upload, of: job, in: &cost)
        cost.starts = (facts.startedOver ?? 0) - (job.facts.startedOver ?? 0)
    }

    /// The error of an attempt that has used up the transfer's budget of wasted bytes, or `nil`.
    ///
    /// Written bytes that are not durable count as new.
    var budgetFault: ServiceError? {
        var cost = cost
        cost.spent += job.progress.spent.load(ordering: .relaxed) - facts.bytesSpent
        cost.gained += max(0, job.progress.received.load(ordering: .relaxed) - facts.frontier)
        return job.budget.adding(cost).fault(expectedSize: job.request.response.expectedSize, url: job.request.url)
    }

    // MARK: Disk

    /// The queue for the attempt's file calls.
    var disk: DiskQueue { engine.disk.at(place) }

    func onDisk<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(DiskError) {
            return try await disk.run(body)
        } catch {
            throw error.transferError
        }
    }
}
