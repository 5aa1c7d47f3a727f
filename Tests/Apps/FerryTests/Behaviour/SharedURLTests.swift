@testable import Ferry
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Several tasks of one URL` {
    private static let held = OriginScript(FerryFixture.body, always: .hold("go", at: .body(1000)))

    /// docs/behaviour/session-manager.md#C2
    @Test func `are found by it in their order, whichever was made first`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let spec = try DownloadSpec(url)
            let tasks = try await manager.enqueue([spec, spec, spec])
            #expect(manager.fetchTask(url) === tasks[0] && manager.download(url) === tasks[0])
            manager.moveTask(at: 2, to: 0)
            #expect(manager.fetchTask(url) === tasks[2] && manager.download(url) === tasks[2])
            try await answer { manager.remove(tasks[2], handler: $0) }
            #expect(manager.fetchTask(url) === tasks[0])
            try await answer { manager.remove(url, handler: $0) }
            #expect(tasks[0].status == .removed && manager.fetchTask(url) === tasks[1])
            #expect(manager.download(url) === tasks[1] && manager.tasks == [tasks[1]])
            try await answer { manager.cancel(url, handler: $0) }
            #expect(manager.fetchTask(url) == nil && manager.tasks.isEmpty)
            let later = try #require(manager.download(url))
            #expect(!tasks.contains(later) && manager.tasks == [later] && manager.fetchTask(url) === later)
        }
    }

    /// S-table: a task that succeeds before it could be canceled stays.
    @Test func `stay, though one was to be canceled and succeeded before`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let spec = try DownloadSpec(fixture.origin.url())
            let tasks = try await manager.enqueue([spec, spec])
            for task in tasks { try await task.reaches(.running) }
            let (stream, gate) = AsyncStream<Void>.makeStream()
            manager.shared.commands.add { for await _ in stream { break } }
            let told = Notes<Status>()
            manager.cancel(tasks[1]) { told.add($0.status) }
            fixture.origin.release("go")
            for task in tasks { try await eventually { task.state.withLock { $0.stored == .succeeded } } }
            gate.yield()
            #expect(try await told.wait(count: 1) == [.succeeded])
            // When this call completes, nothing else was under way.
            try await answer { manager.start("unknown", handler: $0) }
            try await manager.suspendAll()
            #expect(manager.tasks == tasks && tasks.allSatisfy { $0.status == .succeeded })
        }
    }
}
