import FerryCore
import FerryQueue
import JournalKit
@testable import FerryStore
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Events` {
    @Test func `rows that cannot be read hide no events behind them`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvents(
                kind: .submitted, at: Sample.moment, ids: (1...6).map { Sample.id($0) }, session: .cli)
        }
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute("UPDATE events SET session = '' WHERE number IN (1, 2, 4)")
        }
        let found = try await journal.read { reader throws(ServiceError) in
            try (reader.events(after: 0, limit: 2), reader.page(after: 0, through: 5, session: nil, ids: nil))
        }
        #expect(found.0.map(\.number) == [3, 5])
        #expect(found.1.through == 5 && found.1.signals.count == 2)
    }
}
