import FerryCore
import FerryService
import FerryStore

/// The two journals, of which the queue knows the contract alone: what holds for one holds for both.
enum JournalKind: CaseIterable, Sendable {
    case sqlite, memory

    func open() throws -> any Journal {
        switch self {
        case .sqlite: try SQLiteJournal.inMemory(logger: Sample.quiet)
        case .memory: MemoryJournal()
        }
    }
}

extension Journal {
    func listing() async throws(ServiceError) -> [ListedTransfer] {
        try await read { reader throws(ServiceError) in try reader.listing(JournalFilter()) }
    }
}
