// Ferry: FerryService
// Many transfers in and out of line at once.

import FerryCore
import FerryStore
import Foundation

extension LocalTransferService {
    /// Those that were taken out of line, and where they stood.
    struct TakenOut {
        let ready: [(id: TransferID, key: QueueKey)]
        let delayed: [TransferID: DelayedTransfer]
    }

    /// Takes transfers of a session out of every line.
    @discardableResult
    func leaveLine(_ ids: Set<TransferID>, of session: SessionID) -> TakenOut {
        var waiting: [TransferID: DelayedTransfer] = [:]
        if delayed.count < ids.count {
            waiting = delayed.filter { ids.contains($0.key) }
        } else {
            for id in ids { waiting[id] = delayed[id] }
        }
        for id in waiting.keys { delayed[id] = nil }
        return TakenOut(ready: ready.remove(ids, of: session), delayed: waiting)
    }

    /// Puts those back that were taken out, where they stood.
    func comeBack(_ taken: TakenOut) {
        for (id, key) in taken.ready where live[id] == nil { ready.insert(id, key) }
        for (id, waiting) in taken.delayed where live[id] == nil {
            // The alarm that it had may have rung.
            setDelay(id, waiting)
        }
    }

    /// Puts transfers that are in no line in theirs, as the journal knows them, with the alarms that bound them.
    func lineUp(_ transfers: [PendingTransfer]) {
        let now = ActiveTime.Instant.now
        var latest: QueueKey?
        var alike: [TransferID] = []
        for transfer in transfers {
            setDueAlarm(transfer.id, transfer.due, at: now)
            // The alarm of one may have rung while it was read: what is live is in no line.
            guard live[transfer.id] == nil else { continue }
            let key = key(transfer)
            let rest = transfer.retry?.rest(now: now.wall) ?? 0
            let launchRest = transfer.startsAfterRelaunch ? relaunchRest(transfer.session) : 0
            if rest == 0, launchRest == 0, transfer.notBefore == nil {
                // Most neighbours may run and wait in one line.
                if let latest, key != latest { insert(&alike, latest) }
                latest = key
                alike.append(transfer.id)
            } else if launchRest > rest {
                lineUp(transfer.id, key, transfer.notBefore, after: launchRest, reason: .relaunch)
            } else {
                lineUp(transfer.id, key, transfer.notBefore, after: rest, reason: transfer.retry?.reason ?? .retry)
            }
        }
        if let latest { insert(&alike, latest) }
    }

    private func insert(_ ids: inout [TransferID], _ key: QueueKey) {
        watchConditions(for: key)
        ready.insert(ids, key)
        ids.removeAll(keepingCapacity: true)
    }
}
