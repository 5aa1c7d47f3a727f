import FerryCore
import FerryEngine
import Foundation

/// The moments that bound a transfer: when it may begin, and when it must have ended.
extension LocalTransferService {
    /// Ends the transfers whose alarms have rung and whose time is over, many at a time, so that they share reads and
    /// transactions.
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
        var (own, busy): ([TransferID], [TransferID]) = ([], [])
        for id in due {
            // An action upon it comes first.
            if turns.transfers.take(id) { own.append(id) } else { busy.append(id) }
        }
        take(.rang(own, isBusy: false))
        take(.rang(busy, isBusy: true))
        defer { for id in own { leaveTurn(id) } }
        var waiting: [TransferRecord] = []
        do throws(TransferError) {
            for record in try await records(of: own) where record.isEligible {
                let effects = queue.take(.overdue(record), at: .now)
                for case .expire in effects { waiting.append(record) }
                perform(effects)
            }
            // From here on none of these transfers starts; an attempt may have ended while their records were read.
            let ended = try await records(of: waiting.map(\.id))
            await withTaskGroup(of: Void.self) { group in
                for record in ended where record.isEligible { group.addTask { await self.end(record) } }
            }
        } catch {
            for record in waiting { lineUpLater(record, error) }
            guard waiting.isEmpty, !isShuttingDown else { return }
            noteFailure(error)
            for id in own { take(.ringAgain(id, after: later)) }
        }
    }

    func records(of ids: [TransferID]) async throws(TransferError) -> [TransferRecord] {
        guard !ids.isEmpty else { return [] }
        return try await journal.read { reader throws(TransferError) in try reader.records(ids) }
    }

    /// Records the end of a transfer that is in no line.
    private func end(_ record: TransferRecord) async {
        var current = record
        do throws(TransferError) {
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
            lineUpLater(current, error)
        }
    }

    /// Puts a transfer back in line that could not be ended: a journal without room may have some later.
    func lineUpLater(_ record: TransferRecord, _ error: TransferError) {
        guard !isShuttingDown else { return }
        noteFailure(error)
        lineUp(record, after: later, reason: error.code.row.subject.waitReason, error: error)
        take(.ringAgain(record.id, after: later))
    }

    /// Seconds until the journal may have room again.
    var later: Double { TransferMachine.waitInterval * configuration.delayScale }

    /// What ends a transfer whose time is over.
    func overdue(_ record: TransferRecord) -> TransferError? { Queue.overdue(record) }

    /// Whether the time of a transfer that may run is over.
    func isOver(_ record: TransferRecord) -> Bool { Queue.isOver(record, at: .now) }

    // MARK: Looking ahead

    /// How many transfers whose time is over soon are read at once.
    private static let duePage = 1000

    /// Finds the transfers whose time is over soon.
    func readDue(from start: Date?, through end: Date) async {
        var last: DueTransfer?
        repeat {
            let before = last
            do throws(TransferError) {
                let page = try await journal.read { reader throws(TransferError) in
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
