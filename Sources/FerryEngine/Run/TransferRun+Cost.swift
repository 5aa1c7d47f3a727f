// Ferry: FerryEngine
// What an attempt costs, and when that is too much.

import FerryCore
import Foundation
import Synchronization

extension TransferRun {
    /// Takes note of what has come so far, and of what of it is new and on disk.
    ///
    /// Called where the facts speak of durable bytes alone: before each commit, and when the attempt ends.
    func noteCost() {
        let spent = job.progress.spent.load(ordering: .relaxed)
        cost.spent += spent - facts.bytesSpent
        facts.bytesSpent = spent
        cost.gained += facts.advance()
        cost.frontier = max(cost.frontier, facts.frontier)
        cost.starts = (facts.startedOver ?? 0) - (job.facts.startedOver ?? 0)
    }

    /// The failure of an attempt that has used up what the transfer may receive in vain; nil while it has not.
    ///
    /// Bytes that are written and not durable count as new.
    var budgetFault: TransferError? {
        var cost = cost
        cost.spent += job.progress.spent.load(ordering: .relaxed) - facts.bytesSpent
        cost.gained += max(0, job.progress.received.load(ordering: .relaxed) - facts.frontier)
        return job.budget.adding(cost).fault(expectedSize: job.request.expectedSize, url: job.request.url)
    }

    /// The failure of an attempt whose answers do not lead to the file.
    func endless(_ fact: String) -> TransferError {
        let url = (try? sources.original.get())?.redacted ?? ""
        return TransferError(
            .badResponse, "The file cannot be fetched from \(url) in one go: \(fact).", details: ErrorDetails(url: url))
    }
}
