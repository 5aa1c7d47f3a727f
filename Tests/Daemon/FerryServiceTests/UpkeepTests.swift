import FerryCore
@testable import FerryService
import FerryQueue
import FerryStore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `An idle service` {
    /// Returns the numbers of a session's durable events.
    private func events(_ session: SessionID, _ bed: ServiceBed, _ local: LocalTransferService) async throws -> [Int64]
    {
        try await local.journal.read { reader throws(ServiceError) in
            try reader.events(after: 0, session: session, limit: 1000).compactMap(\.number)
        }
    }

    @Test func `deletes excess events in every session that never acknowledges`() async throws {
        try await withStoredService(
            OriginScript(SeededBody(seed: 3, size: 1000)), { $0.retention.mostUnacknowledged = 3 }
        ) {
            bed, local in
            let session = try SessionID("photos")
            let transfers = try await bed.add(
                (0..<5).map { number in bed.request("/\(number)") { $0.session = session } })
            for transfer in transfers { try await bed.wait(for: transfer.id, .succeeded) }
            let last = try await bed.service.lastEvent()
            try await eventually("the newest events") {
                try await events(session, bed, local) == Array(last - 2...last)
            }
        }
    }

    @Test func `keeps the events of an app's session until they are acknowledged`() async throws {
        try await withStoredService(
            OriginScript(SeededBody(seed: 3, size: 1000)), { $0.retention.mostUnacknowledged = 1 }
        ) {
            bed, local in
            let app = try await bed.attach()
            let session = try bed.attachment().session()
            for number in 1...3 { try await bed.wait(for: bed.task(number, "/\(number)"), .succeeded) }
            // The removed event of a session without an app shows that the upkeep has run.
            let other = try await bed.add(["/a", "/b"].map { bed.request($0) })
            for transfer in other { try await bed.wait(for: transfer.id, .succeeded) }
            try await eventually("the upkeep") { try await events(.cli, bed, local).count == 1 }
            #expect(try await events(session, bed, local).count == 6)
            await app.leave()
        }
    }
}
