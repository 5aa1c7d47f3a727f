import FerryCore
import FerryQueue
import FerryRules
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Destinations in both journals` {
    @Test(arguments: JournalKind.allCases)
    func `F7 two live transfers never hold one path`(kind: JournalKind) async throws {
        let journal = try kind.open()
        try await Sample.insert([try Sample.record(1), try Sample.record(2)], into: journal)
        let claims = try await journal.commit { transaction throws(ServiceError) in
            [
                try transaction.claimDestination("/d/a", for: Sample.id(1)),
                try transaction.claimDestination("/d/a", for: Sample.id(1)),
                try transaction.claimDestination("/d/a", for: Sample.id(2)),
                try transaction.claimDestination("/d/b", for: Sample.id(2)),
                try transaction.claimDestination("/d/c", for: Sample.id(9)),
            ]
        }
        #expect(claims == [true, true, false, true, false])
        #expect(
            try await journal.read { reader throws(ServiceError) in try reader.destinationHolder("/d/a") }
                == Sample.id(1))
        let third = try Sample.record(3, destination: "/d/a")
        let error = await #expect(throws: ServiceError.self) {
            try await Sample.insert([third], into: journal)
        }
        #expect(error?.code == .destinationExists)
        #expect(try await journal.record(Sample.id(3)) == nil)
    }

    @Test(arguments: JournalKind.allCases, ["finish", "delete", "update"])
    func `F7 a path is free once its transfer let it go`(kind: JournalKind, how: String) async throws {
        let journal = try kind.open()
        let first = try await Sample.stored(try Sample.record(1, destination: "/d/a"), in: journal)
        try await Sample.insert([try Sample.record(2)], into: journal)
        let isClaimed = try await journal.commit { transaction throws(ServiceError) in
            switch how {
            case "finish":
                try transaction.finish(first.id, outcome: Sample.success, at: Sample.moment, facts: first.facts)
            case "delete": try transaction.delete(first.id)
            default:
                var ended = first
                ended.outcome = .canceled
                try transaction.update(ended)
            }
            return try transaction.claimDestination("/d/a", for: Sample.id(2))
        }
        #expect(isClaimed)
        guard how == "finish" else { return }
        // Finished transfers hold no reservation. A restarted one has to request it again.
        let error = await #expect(throws: ServiceError.self) {
            try await journal.commit { transaction throws(ServiceError) in
                guard var again = try transaction.record(first.id) else { return }
                again.outcome = nil
                try transaction.update(again)
            }
        }
        #expect(error?.code == .destinationExists)
    }
}
