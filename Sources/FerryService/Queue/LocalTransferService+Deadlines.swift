import FerryCore
import FerryEngine
import Foundation

/// Begin dates and deadlines of transfers.
extension LocalTransferService {
    /// Ends the transfers that have passed their deadlines. Many are handled at a time, so that they share reads and
    /// transactions.
    func expire(_ due: [TransferID]) {
        Task(name: "ends of transfers whose time is over") {
            var left = due[...]
            while !left.isEmpty, !self.isShuttingDown {
                await self.expire(together: Array(left.prefix(Self.endsTogether)))
                left = left.dropFirst(Self.endsTogether)
                self.schedule()
            }
        }
    }

    private static let endsTogether = 64

    private func expire(together due: [TransferID]) async {
        var (own, busy): ([TransferID], [TransferID]) = ([], [])
        for id in due {
            if locks.submissions.isTaken(id) {
                // It would be queued after its end: it is checked again once it is queued.
                take(.rang([id], isBusy: false))
                take(.ringAgain(id, after: Queue.deadlineRecheckDelay))
                continue
            }
            // An action on the transfer takes precedence.
            if locks.transfers.take(id) { own.append(id) } else { busy.append(id) }
        }
        take(.rang(own, isBusy: false))
        take(.rang(busy, isBusy: true))
        defer { for id in own { unlock(id) } }
        var waiting: [TransferRecord] = []
        do throws(ServiceError) {
            for record in try await records(of: own) where record.isEligible {
                let effects = queue.take(.overdue(record), at: moment)
                for case .expire in effects { waiting.append(record) }
                perform(effects)
            }
            // From here on none of these transfers starts. An attempt may have ended while their records were read.
            let ended = try await records(of: waiting.map(\.id))
            await withTaskGroup(of: Void.self) { group in
                for record in ended where record.isEligible { group.addTask { await self.end(record) } }
            }
        } catch {
            for record in waiting { enqueueLater(record, error) }
            guard waiting.isEmpty, !isShuttingDown else { return }
            noteFailure(error)
            for id in own { take(.ringAgain(id, after: journalRetryDelay)) }
        }
    }

    func records(of ids: [TransferID]) async throws(ServiceError) -> [TransferRecord] {
        guard !ids.isEmpty else { return [] }
        return try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
    }

    /// Records the outcome of a transfer that is not queued.
    private func end(_ record: TransferRecord) async {
        var current = record
        do throws(ServiceError) {
            while let error = overdue(current) {
                guard isOver(current) else {
                    return take(.resumed(current))
                }
                if try await finish(current, .failed(error)) { return }
                // The record has changed since it was read.
                guard let stored = try await records(of: [record.id]).first else { return }
                current = stored
            }
        } catch {
            enqueueLater(current, error)
        }
    }

    /// Requeues a transfer with an outcome that could not be stored: a full journal may have space later.
    func enqueueLater(_ record: TransferRecord, _ error: ServiceError) {
        guard !isShuttingDown else { return }
        noteFailure(error)
        enqueue(record, after: journalRetryDelay, reason: error.code.row.subject.waitReason, error: error)
        take(.ringAgain(record.id, after: journalRetryDelay))
    }

    /// Delay before retrying a write to a full journal, in seconds.
    var journalRetryDelay: Double { TransferMachine.waitInterval * configuration.delayScale }

    /// Returns the error of a transfer that has passed its deadline.
    func overdue(_ record: TransferRecord) -> ServiceError? { Queue.overdue(record) }

    /// Whether an unfinished transfer has passed its deadline.
    func isOver(_ record: TransferRecord) -> Bool { Queue.isOver(record, at: moment) }

    // MARK: Deadline scans

    /// Number of deadlines read from the journal at once.
    private static let duePage = 1000

    /// Finds the transfers with deadlines in the near future.
    func readDue(from start: Date?, through end: Date) async {
        var last: DueTransfer?
        repeat {
            let before = last
            do throws(ServiceError) {
                let page = try await journal.read { reader throws(ServiceError) in
                    try reader.due(after: before, from: start, through: end, limit: Self.duePage)
                }
                take(.due(page))
                last = page.count == Self.duePage ? page.last : nil
            } catch {
                if !isShuttingDown { noteFailure(error) }
                return
            }
        } while last != nil && !isShuttingDown
    }
}
