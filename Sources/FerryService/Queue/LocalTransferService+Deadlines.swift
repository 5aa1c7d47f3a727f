// Ferry: FerryService
// The moments that bound a transfer: when it may begin, and when it must have ended.

import FerryCore
import FerryEngine
import FerryStore
import Foundation

extension LocalTransferService {
    /// Puts a transfer in line after its delay, and not before the moment at which it may begin.
    func lineUp(_ record: TransferRecord, after delay: Double = 0, reason: WaitReason = .retry) {
        let key = key(record)
        let startsLate = record.facts.startsAfterRelaunch == true && record.attempts == 0
        let rest = startsLate ? relaunchRest(record.request.session) : 0
        guard rest > delay else {
            return lineUp(record.id, key, record.request.notBefore, after: delay, reason: reason)
        }
        lineUp(record.id, key, record.request.notBefore, after: rest, reason: .relaunch)
    }

    func lineUp(_ id: TransferID, _ key: QueueKey, _ notBefore: Date?, after delay: Double, reason: WaitReason) {
        let begin = min(notBefore?.timeIntervalSinceNow ?? 0, TransferMachine.untilAnswered)
        guard begin > delay else { return enqueue(id, key, after: delay, reason: reason) }
        enqueue(id, key, after: begin, reason: .beginDate)
    }

    // MARK: Deadlines

    func setDeadline(_ record: TransferRecord) {
        if let deadline = record.request.deadline { setDeadline(deadline, of: record.id) }
    }

    func setDeadline(_ deadline: Date, of id: TransferID) {
        setAlarm(Alarm(due: .now + .seconds(max(0, deadline.timeIntervalSinceNow)), cause: .deadline(id)))
    }

    func passDeadline(_ id: TransferID) async {
        await noteFailures { () async throws(TransferError) in
            guard let record = try await stored(id) else { return }
            try await end(record)
        }
    }

    // MARK: The longest time

    func setResourceAlarm(_ record: TransferRecord) {
        guard record.isEligible else { return }
        setResourceAlarm(record.id, record.request.resourceTimeout, record.active)
    }

    func setResourceAlarm(_ id: TransferID, _ timeout: Double?, _ active: ActiveTime) {
        // An alarm that was set before a suspension rings too early, and is set again then.
        guard let timeout, resourceAlarms.insert(id).inserted else { return }
        let rest = min(max(0, timeout - active.seconds(at: .now)), TransferMachine.untilAnswered)
        setAlarm(Alarm(due: .now + .seconds(rest), cause: .resourceTimeout(id)))
    }

    func passResourceTimeout(_ id: TransferID) async {
        resourceAlarms.remove(id)
        await noteFailures { () async throws(TransferError) in
            guard let record = try await stored(id), record.isEligible, let timeout = record.request.resourceTimeout
            else { return }
            guard timeout - record.active.seconds(at: .now) < 0.001 else { return setResourceAlarm(record) }
            try await end(record)
        }
    }

    /// Ends a transfer whose time is over, whether it waits or runs.
    private func end(_ record: TransferRecord) async throws(TransferError) {
        let id = record.id
        var machine = TransferMachine(record)
        guard case .finish(let outcome) = machine.deadlinePassed() else { return }
        if let run = live[id]?.run, case .failed(let error) = outcome { return await run.stop(with: error) }
        guard live[id] == nil else {
            // It has a slot and no run yet: the run is met a moment later.
            return setAlarm(Alarm(due: .now + .milliseconds(20), cause: .deadline(id)))
        }
        leaveLine(id, key(record))
        try await finish(machine.record, outcome)
    }

    private func stored(_ id: TransferID) async throws(TransferError) -> TransferRecord? {
        try await journal.read { reader throws(TransferError) in try reader.record(id) }
    }

    private func noteFailures(_ body: () async throws(TransferError) -> Void) async {
        do throws(TransferError) { try await body() } catch { noteFailure(error) }
    }
}
