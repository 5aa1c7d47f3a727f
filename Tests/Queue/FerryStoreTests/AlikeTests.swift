import FerryCore
import FerryQueue
import FerryRules
import GRDB
import JournalKit
import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(1))) struct `Records that are read together` {
    @Test(arguments: ["no JSON", "{}", #"{"url": "https://example.com/", "folder": 5}"#])
    func `show a row that cannot be read as a single read does`(request: String) async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await Sample.insert([try Sample.record(1), try Sample.record(2)], into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute(
                "UPDATE requests SET request = ? WHERE id = ?", [request, Sample.id(2).column])
        }
        let (together, alone) = try await journal.read { reader throws(ServiceError) in
            (try reader.records([Sample.id(1), Sample.id(2)]), try reader.record(Sample.id(2)))
        }
        #expect(together.map(\.id) == [Sample.id(1), Sample.id(2)])
        #expect(together.last == alone)
        #expect(alone?.outcome != nil)
        await journal.close()
    }
}
