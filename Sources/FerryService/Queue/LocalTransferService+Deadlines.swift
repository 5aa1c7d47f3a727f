import FerryCore
import FerryEngine
import Foundation

/// The moments that bound a transfer: when it may begin, and when it must have ended.
extension LocalTransferService {
    /// Sets the alarm of a transfer whose time is over soon; the others are found when it is.
    func setDueAlarm(_ record: TransferRecord) { take(.bounded(record)) }

    private func setDueAlarm(_ id: TransferID, after seconds: Double) {
        queue.lines.ringDue(id, at: .now + .wait(seconds: seconds))
        arm()
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

    /// Seconds until another look at one that cannot be ended at this moment.
    static let soon = 0.02

    private func pass(together due: [TransferID]) async {
        var own: [TransferID] = []
        for id in due {
            // An action upon it comes first.
            let isFree = turns.transfers.take(id)
            queue.lines.dueRang(id, isBusy: !isFree)
            if isFree { own.append(id) }
        }
        defer { for id in own { leaveTurn(id) } }
        var waiting: [TransferRecord] = []
        do throws(TransferError) {
            for record in try await records(of: own) where record.isEligible {
                if await !stop(record) { waiting.append(record) }
            }
            // From here on none of them starts; a try may have ended while they were read.
            let ended = try await records(of: waiting.map(\.id))
            await withTaskGroup(of: Void.self) { group in
                for record in ended where record.isEligible { group.addTask { await self.end(record) } }
            }
        } catch {
            for record in waiting { lineUpLater(record, error) }
            guard waiting.isEmpty, !isShuttingDown else { return }
            noteFailure(error)
            for id in own { setDueAlarm(id, after: later) }
        }
    }

    private func records(of ids: [TransferID]) async throws(TransferError) -> [TransferRecord] {
        guard !ids.isEmpty else { return [] }
        return try await journal.read { reader throws(TransferError) in try reader.records(ids) }
    }

    /// Stops a transfer whose time is over, if it runs; takes it out of its line, if it waits.
    ///
    /// - Returns: whether there is nothing more to do now.
    private func stop(_ record: TransferRecord) async -> Bool {
        let id = record.id
        guard isOver(record) else {
            setDueAlarm(record)
            return true
        }
        guard running.contains(id) else {
            queue.lines.leave(id, key(record))
            return false
        }
        if let run = attempts[id]?.run, let error = overdue(record) {
            await run.stop(with: error)
        } else {
            // It has a slot and no run yet: the run is met a moment later.
            setDueAlarm(id, after: Self.soon)
        }
        return true
    }

    /// Records the end of a transfer that is in no line.
    private func end(_ record: TransferRecord) async {
        var current = record
        do throws(TransferError) {
            while let error = overdue(current) {
                guard isOver(current) else {
                    lineUp(current)
                    return setDueAlarm(current)
                }
                if try await finish(current, .failed(error)) { return }
                // It is another one since it was read.
                guard let stored = try await records(of: [record.id]).first else { return }
                current = stored
            }
        } catch {
            lineUpLater(current, error)
        }
    }

    /// Puts one back in line that could not be ended: a journal without room may have some later.
    func lineUpLater(_ record: TransferRecord, _ error: TransferError) {
        guard !isShuttingDown else { return }
        noteFailure(error)
        lineUp(record, after: later, reason: error.code.row.subject.waitReason, error: error)
        setDueAlarm(record.id, after: later)
    }

    /// Seconds until the journal may have room again.
    var later: Double { TransferMachine.waitInterval * configuration.delayScale }

    /// What ends a transfer whose time is over.
    func overdue(_ record: TransferRecord) -> TransferError? {
        var machine = TransferMachine(record)
        guard case .finish(.failed(let error)) = machine.deadlinePassed() else { return nil }
        return error
    }

    /// Whether the time of a transfer that may run is over.
    func isOver(_ record: TransferRecord) -> Bool { record.timeBounds.rest(at: .now).map { $0 < 0.001 } ?? false }

    // MARK: Looking ahead

    /// How many are read at once of those whose time is over soon.
    private static let duePage = 1000

    /// Sets the alarms of those whose time is over soon, and of the service for the next look.
    func lookAhead() {
        let now = ActiveTime.Instant.now
        let look = queue.lines.lookAhead(at: now, .now)
        arm()
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
                let now = Moment.now
                for transfer in page { queue.bound(transfer.id, transfer.due, at: now) }
                arm()
                last = page.count == Self.duePage ? page.last : nil
            } catch {
                if !isShuttingDown { noteFailure(error) }
                return
            }
        } while last != nil && !isShuttingDown
    }
}
