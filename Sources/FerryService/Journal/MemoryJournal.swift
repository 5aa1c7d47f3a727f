package import FerryCore
import Synchronization

/// The journal of the sessions of one process: values in memory, gone with it.
///
/// A body runs where its caller is; what it has changed is taken back if it throws.
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

    /// How a service opens one.
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

/// All that a journal in memory has, and the changes of one commit at a time.
final class MemoryTransaction: JournalTransaction {
    var rows = MemoryTransfers()
    var log = MemoryEvents()
    var registry = MemorySessions()

    /// Runs a body, and takes its changes back if it throws.
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
