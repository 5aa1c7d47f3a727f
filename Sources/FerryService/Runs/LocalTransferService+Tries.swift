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
        guard live[id] == nil else { return false }
        let limiter = RateLimiter()
        let gate = RateGate([limiter, session(key.session).limiter, globalLimiter], priority: key.priority)
        let keepsSlot = starting.keepers.remove(id) != nil
        let transfer = LiveTransfer(key: key, limiter: limiter, gate: gate, keepsSlot: keepsSlot)
        live[id] = transfer
        StartWatch.began(id)
        transfer.task = Task(name: "transfer \(id)") {
            let next = await self.makeTry(id)
            // Until here whoever stops or changes the transfer waits for this task, so that nobody writes over its facts.
            self.live[id] = nil
            StartWatch.ended(id)
            if transfer.isLeft { self.cleanUp() }
            if let next, !transfer.isStopping {
                await self.takeUp(transfer.changed.map(next.following) ?? next)
            }
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

extension NextTry {
    /// This try with a request that was changed while the last one was being settled.
    fileprivate func following(_ request: TransferRequest) -> NextTry {
        var record = record
        record.request = request
        let isNew = request.hasOtherAddress(than: self.record.request)
        return NextTry(
            record: record, delay: isNew ? 0 : delay, reason: isNew ? .retry : reason, error: isNew ? nil : error)
    }
}
