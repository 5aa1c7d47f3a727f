// Ferry: FerryService
// Many transfers in and out of line at once.

import FerryCore
import Foundation

extension LocalTransferService {
    /// Puts those back that were taken out, where they stood.
    func comeBack(_ taken: Lines.TakenOut) {
        lines.comeBack(taken, unless: running.contains)
        arm()
    }

    /// Puts transfers that are in no line in theirs, as the journal knows them, with the alarms that bound them.
    func lineUp(_ transfers: [PendingTransfer]) {
        let now = ActiveTime.Instant.now
        var latest: QueueKey?
        var alike: [TransferID] = []
        for transfer in transfers {
            setDueAlarm(transfer.id, transfer.due, at: now)
            // The alarm of one may have rung while it was read: what is live is in no line.
            guard !running.contains(transfer.id) else { continue }
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
        lines.insert(ids, key)
        ids.removeAll(keepingCapacity: true)
    }
}
