@testable import Ferry
import FerryClient
import FerryCore
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A code that came too late` {
    private static let body = FerryFixture.body

    @Test func `is compared at the next launch, and the result is stored`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(2))
            try await manager.reaches(.succeeded)
            // The state left by an app that ends between the daemon's report and the comparison.
            await fixture.leave()
            for (task, code) in zip(tasks, [Self.body.md5Hex, String(repeating: "0", count: 32)]) {
                var (id, note) = task.state.withLock { ($0.transfer, $0.note) }
                note.validation = TaskNote.Validation(code: code, type: .md5)
                var change = TransferChange()
                change.note = manager.shared.place.note(note.text)
                let (transfer, changed) = (try #require(id), change)
                _ = try await fixture.daemon.withClient { try await $0.change(transfer, changed) }
            }
            let later = fixture.manager()
            try await eventually("both are compared") { later.tasks.map(\.validation) == [.correct, .incorrect] }
            #expect(later.tasks.allSatisfy { $0.status == .succeeded })
            try await eventually("both results are stored") { try await results(fixture) == [1, 2] }
        }
    }

    private func results(_ fixture: FerryFixture) async throws -> [Int?] {
        let transfers = try await fixture.daemon.withClient { try await $0.transfers(.init()).transfers }
        return transfers.sorted { $0.url < $1.url }.map { transfer in
            transfer.note.flatMap { TaskNote(text: $0.data) }?.validation?.result
        }
    }
}
