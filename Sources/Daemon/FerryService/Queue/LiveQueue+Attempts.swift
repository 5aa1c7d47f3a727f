import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// Attempts of the transfers that have a slot.
extension LiveQueue {
    /// Starts an attempt for a transfer that has a slot.
    func start(_ id: TransferID, _ key: QueueKey) {
        let limiter = RateLimiter()
        let ofSession = rates.limiter(of: key.session, queue.sessions.settings(of: key.session))
        let attempt = Attempt(
            limiter: limiter, gate: RateGate([limiter, ofSession, rates.all], priority: key.priority))
        attempts[id] = attempt
        StartWatch.began(id)
        let name = "attempt at a transfer"
        if queue.running.hasTinyFiles(key.origin), let executor = engine.homeTasks {
            // Each file resumes several continuations. Without this executor they would switch threads twice each.
            attempt.task = Task(name: name, executorPreference: executor) { await self.performAttempt(id) }
        } else {
            attempt.task = Task(name: name) { await self.performAttempt(id) }
        }
    }

    private func performAttempt(_ id: TransferID) async {
        let next = await performer?.runAttempt(id)
        // Callers that stop or change the transfer wait for this task until here, so that they do not overwrite its
        // facts.
        attempts[id] = nil
        StartWatch.ended(id)
        await takeInOrder(.ended(id, next))
    }

    /// Returns the attempt at a transfer that has a slot.
    nonisolated func attempt(at id: TransferID) -> Attempt? { assumeIsolated { $0.attempts[id] } }

    /// The rate limiter of all uploads.
    nonisolated var uploadLimiter: RateLimiter { assumeIsolated { $0.rates.uploads } }

    // MARK: News of runs

    /// Stores the facts a run has recorded, such as the response, for samples.
    func recorded(_ facts: TransferFacts, of id: TransferID) { queue.take(facts, of: id) }

    /// Frees the host connection of a transfer that has all its bytes.
    func leaveHost(_ id: TransferID, inMemory: Bool) { take(.whole(id, inMemory: inMemory)) }

    /// Yields the slot of a transfer that waits for name resolution. If no slot is free afterwards, the transfer is
    /// requeued.
    func nameChanged(of id: TransferID) async {
        guard let attempt = attempts[id] else { return }
        await takeInOrder(.name(id, isSlow: attempt.waitsForName))
    }
}
