import FerryCore
import FerryQueue
import FerryService
import FerryStore
import JournalKit

/// The two journals. The queue only knows their contract, so each test applies to both.
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
