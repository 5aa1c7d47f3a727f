package import FerryCore
import Synchronization

/// A journal of the sessions of one process, kept in memory only.
///
/// A body runs on its caller's executor. Its changes are reverted if it throws.
package final class MemoryJournal: Journal {
    private struct State {
        let transaction = MemoryTransaction()
        var isClosed = false

        func checkIsOpen() throws(ServiceError) {
            if isClosed { throw ServiceError(.journalFailed, "The journal is closed.") }
        }
    }

    private let state = Mutex(State())
    private let changes = Atomic<UInt64>(0)

    package init() {}

    /// Opens an in-memory journal for a service.
    package static let opening: OpenedJournal.Opening = { () async throws(ServiceError) in
        OpenedJournal(MemoryJournal())
    }

    package var revision: UInt64 { changes.load(ordering: .acquiring) }

    package func commit<Value: Sendable>(
        ofRunning: Bool, isolation: isolated (any Actor)?,
        body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        if !ofRunning { countChange() }
        defer { if !ofRunning { countChange() } }
        do throws(ServiceError) {
            return try state.withLock { state throws(ServiceError) in
                try state.checkIsOpen()
                return try state.transaction.run(body)
            }
        } catch {
            if ofRunning { countChange() }
            throw error
        }
    }

    package func read<Value: Sendable>(
        isolation: isolated (any Actor)?, body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try state.withLock { state throws(ServiceError) in
            try state.checkIsOpen()
            return try body(state.transaction)
        }
    }

    private func countChange() { changes.add(1, ordering: .acquiringAndReleasing) }

    package func reclaim() async -> Bool { false }
    package func releaseMemory() async {}
    package func close() async { state.withLock { $0.isClosed = true } }
}

/// The contents of an in-memory journal, and the changes of one transaction at a time.
final class MemoryTransaction: JournalTransaction {
    var rows = MemoryTransfers()
    var log = MemoryEvents()
    var registry = MemorySessions()

    /// Runs a body and reverts its changes if it throws.
    func run<Value>(
        _ body: (any JournalTransaction) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        rows.begin()
        log.begin()
        registry.begin()
        do throws(ServiceError) {
            let value = try body(self)
            registry.commit()
            return value
        } catch {
            rows.rollBack()
            log.rollBack()
            registry.rollBack()
            throw error
        }
    }
}
