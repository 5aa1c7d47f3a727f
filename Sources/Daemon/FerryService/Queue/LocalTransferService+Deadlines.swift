import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Deadlines of transfers.
extension LocalTransferService {
    /// Ends the transfers whose deadlines have passed. Many are handled at a time, so that they share reads and
    /// transactions.
    func expire(_ due: [TransferID]) {
        Task(name: "ends of overdue transfers") {
            var left = due[...]
            while !left.isEmpty, !self.isShuttingDown {
                await self.expire(together: Array(left.prefix(Self.endsTogether)))
                left = left.dropFirst(Self.endsTogether)
            }
        }
    }

    private static let endsTogether = 64

    private func expire(together due: [TransferID]) async {
        do throws(ServiceError) {
            take(.overdue(try await records(of: due)))
            for id in due where running.onlyEnds(id) { await attempts[id]?.task?.value }
        } catch {
            guard !isShuttingDown else { return }
            noteFailure(error)
            take(.ringAgain(due, after: journalRetryDelay))
        }
    }

    func records(of ids: [TransferID]) async throws(ServiceError) -> [TransferRecord] {
        guard !ids.isEmpty else { return [] }
        return try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
    }

    /// Delay before retrying a write to a full journal, in seconds.
    var journalRetryDelay: Double { TransferMachine.waitInterval * configuration.delayScale }

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
