import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Ends overdue transfers, and finds the deadlines of the near future.
actor Deadlines {
    private let queue: LiveQueue
    private let journal: any Journal
    private let life: ServiceLife
    private let configuration: ServiceConfiguration
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Number of overdue transfers that share reads and transactions.
    private static let endsTogether = 64
    /// Number of deadlines read from the journal at once.
    private static let duePage = 1000

    init(_ queue: LiveQueue, journal: any Journal, life: ServiceLife, _ configuration: ServiceConfiguration) {
        self.queue = queue
        self.journal = journal
        self.life = life
        self.configuration = configuration
    }

    /// Ends the transfers whose deadlines have passed.
    func expire(_ due: [TransferID]) async {
        var left = due[...]
        while !left.isEmpty, !life.isEnding {
            await expire(together: Array(left.prefix(Self.endsTogether)))
            left = left.dropFirst(Self.endsTogether)
        }
    }

    private func expire(together due: [TransferID]) async {
        do throws(ServiceError) {
            queue.take(.overdue(try await journal.records(of: due)))
            for id in due where queue.running.onlyEnds(id) { await queue.attempt(at: id)?.task?.value }
        } catch {
            guard !life.isEnding else { return }
            queue.take(.ringAgain(due, after: configuration.journalRetryDelay))
        }
    }

    /// Finds the transfers with deadlines in the near future.
    func read(from start: Date?, through end: Date) async {
        var last: DueTransfer?
        repeat {
            let before = last
            let page = try? await journal.read { reader throws(ServiceError) in
                try reader.due(after: before, from: start, through: end, limit: Self.duePage)
            }
            guard let page else { return }
            queue.take(.due(page))
            last = page.count == Self.duePage ? page.last : nil
        } while last != nil && !life.isEnding
    }
}
