// Ferry: FerryService
// The tries of a transfer, one after the other.

import FerryCore
import FerryEngine

extension LocalTransferService {
    /// Gives a transfer that is out of its line a slot.
    ///
    /// - Returns: whether it has got one. One that is live has one, and a second attempt would write to the same file.
    @discardableResult
    func start(_ id: TransferID, _ key: QueueKey) -> Bool {
        guard running.start(id, key) else { return false }
        let limiter = RateLimiter()
        let ofSession = ties.limiter(of: key.session, queue.sessions.settings(of: key.session))
        let gate = RateGate([limiter, ofSession, ties.limiter], priority: key.priority)
        let attempt = Attempt(limiter: limiter, gate: gate)
        attempts[id] = attempt
        StartWatch.began(id)
        attempt.task = Task(name: "transfer \(id)") {
            let followed = await self.makeTry(id)
            // Until here whoever stops or changes the transfer waits for this task, so that nobody writes over its facts.
            let (next, wasLeft) = self.running.end(id, followed)
            self.attempts[id] = nil
            StartWatch.ended(id)
            if wasLeft { self.cleanUp() }
            if let next { await self.takeUp(next) }
            self.scheduleSoon()
        }
        return true
    }

    /// Puts a transfer back in line once its run is gone.
    private func takeUp(_ next: NextTry) async {
        guard !isShuttingDown else { return }
        lineUp(next.record, after: next.delay, reason: next.reason, error: next.error)
        // Its alarm may have rung between the end of its run and this.
        setDueAlarm(next.record)
        await publishLive(.waiting, next.record)
        if next.reason == .authentication { await noteNews(of: next.record.request.session) }
    }
}
