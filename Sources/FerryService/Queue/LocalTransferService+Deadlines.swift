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

    // MARK: The end of a transfer's time

    /// Sets the alarm of a transfer whose time is over soon; the others are found when it is.
    func setDueAlarm(_ record: TransferRecord) {
        let now = ActiveTime.Instant.now
        guard let due = record.due, let rest = record.timeBounds.rest(at: now),
            horizon.rest(until: due, at: now) != nil || rest <= horizon.length
        else { return }
        setDueAlarm(record.id, after: max(0, rest))
    }

    /// Sets the alarm of a transfer of which only the moment in the journal is known; it may ring too early.
    func setDueAlarm(_ id: TransferID, _ due: Date?, at now: ActiveTime.Instant) {
        if let due, let rest = horizon.rest(until: due, at: now) { setDueAlarm(id, after: rest) }
    }

    private func setDueAlarm(_ id: TransferID, after seconds: Double) {
        // An alarm that was set before a suspension rings too early, and is set again then.
        guard dueAlarms.insert(id).inserted else { return }
        setAlarm(Alarm(due: .now + .seconds(min(seconds, TransferMachine.untilAnswered)), cause: .due(id)))
    }

    /// Ends those whose alarms have rung and whose time is over, many at a time, so that they share reads and transactions.
    func pass(_ due: [TransferID]) {
        Task(name: "ends of transfers whose time is over") {
            var left = due[...]
            while !left.isEmpty, !self.isShuttingDown {
                await self.pass(together: Array(left.prefix(Self.endsTogether)))
                left = left.dropFirst(Self.endsTogether)
                self.schedule()
            }
        }
    }

    private static let endsTogether = 64

    private func pass(together due: [TransferID]) async {
        for id in due { dueAlarms.remove(id) }
        do throws(TransferError) {
            let records = try await journal.read { reader throws(TransferError) in
                var alike = AlikeRecords()
                return try reader.records(due, &alike)
            }
            await withTaskGroup(of: Void.self) { group in
                for record in records.values { group.addTask { await self.pass(record) } }
            }
        } catch {
            if !isShuttingDown { noteFailure(error) }
        }
    }

    private func pass(_ record: TransferRecord) async {
        guard record.isEligible else { return }
        guard isOver(record) else { return setDueAlarm(record) }
        do throws(TransferError) { try await end(record) } catch {
            if !isShuttingDown { noteFailure(error) }
        }
    }

    /// Whether the time of a transfer that may run is over.
    func isOver(_ record: TransferRecord) -> Bool { record.timeBounds.rest(at: .now).map { $0 < 0.001 } ?? false }

    /// Ends a transfer whose time is over, whether it waits or runs.
    private func end(_ record: TransferRecord) async throws(TransferError) {
        let id = record.id
        var machine = TransferMachine(record)
        guard case .finish(let outcome) = machine.deadlinePassed() else { return }
        if let run = live[id]?.run, case .failed(let error) = outcome { return await run.stop(with: error) }
        // It has a slot and no run yet: the run is met a moment later.
        guard live[id] == nil else { return setDueAlarm(id, after: 0.02) }
        // Whoever acts upon it comes first.
        guard !turns.isTaken(id) else { return setDueAlarm(id, after: 0.02) }
        leaveLine(id, key(record))
        if try await !finish(machine.record, outcome, isUntouched: true) { setDueAlarm(id, after: 0.02) }
    }

    // MARK: Looking ahead

    /// How many are read at once of those whose time is over soon.
    private static let duePage = 1000

    /// Sets the alarms of those whose time is over soon, and of the service for the next look.
    func lookAhead() {
        let now = ActiveTime.Instant.now
        let look = horizon.look(at: now)
        setAlarm(Alarm(due: .now + .seconds(horizon.interval), cause: .look))
        Task(name: "whose time is over soon") { await self.setDueAlarms(from: look.after, through: look.through) }
    }

    private func setDueAlarms(from start: Date?, through end: Date) async {
        var last: DueTransfer?
        repeat {
            let before = last
            do throws(TransferError) {
                let page = try await journal.read { reader throws(TransferError) in
                    try reader.due(after: before, from: start, through: end, limit: Self.duePage)
                }
                let now = ActiveTime.Instant.now
                for transfer in page { setDueAlarm(transfer.id, transfer.due, at: now) }
                last = page.count == Self.duePage ? page.last : nil
            } catch {
                if !isShuttingDown { noteFailure(error) }
                return
            }
        } while last != nil && !isShuttingDown
    }
}
