@testable import Ferry
import FerryClient
import FerryCore
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Ends without a process` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, always: .hold("go", at: .body(1000)))

    /// Records the completion notifications of a fixture's tasks and managers.
    private final class Posts {
        let told = Notes<String>()
        private var tokens: [any NSObjectProtocol] = []

        init(_ fixture: FerryFixture) {
            let center = NotificationCenter.default
            let names = [DownloadTask.didCompleteNotification, SessionManager.didCompleteNotification]
            tokens = names.map { name in
                center.addObserver(forName: name, object: nil, queue: nil) { [told] notification in
                    if let task = notification.downloadTask, task.manager?.identifier == fixture.identifier {
                        told.add("task \(task.url.lastPathComponent) \(task.status)")
                    } else if let manager = notification.sessionManager, manager.identifier == fixture.identifier {
                        told.add("manager \(manager.status)")
                    }
                }
            }
        }

        func stop() { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    }

    /// Finishes held downloads while there is no manager, then creates a new manager.
    private func comeBack(
        _ fixture: FerryFixture, after ends: Int, released hold: String
    ) async throws -> (SessionManager, Posts) {
        await fixture.leave()
        fixture.forgetManagers()
        fixture.origin.release(hold)
        try await fixture.waitForEnds(ends)
        let posts = Posts(fixture)
        return (fixture.manager(), posts)
    }

    /// docs/behaviour/session-manager.md#N1
    @Test func `are posted once, the tasks' ends and then the manager's`() async throws {
        try await withFerry(Self.held) { fixture in
            let tasks = fixture.manager().multiDownload(fixture.urls(2))
            for task in tasks { try await task.reaches(.running) }
            let (second, posts) = try await comeBack(fixture, after: 2, released: "go")
            defer { posts.stop() }
            try await posts.told.wait(for: "manager succeeded")
            try await answer { second.start("unknown", onMainQueue: false, handler: $0) }
            let all = posts.told.all
            #expect(all.count == 3 && all.last == "manager succeeded")
            #expect(Set(all.prefix(2)) == ["task file-0.bin succeeded", "task file-1.bin succeeded"])
        }
    }

    /// docs/behaviour/session-manager.md#N1
    @Test func `are no end of a manager that has tasks left`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/first"), .hold("first", at: .head)), .on(.path("/last"), .hold("last", at: .head)))
        try await withFerry(script) { fixture in
            fixture.manager().multiDownload([fixture.origin.url("/first"), fixture.origin.url("/last")])
            let (second, posts) = try await comeBack(fixture, after: 1, released: "first")
            defer { posts.stop() }
            try await posts.told.wait(for: "task first succeeded")
            fixture.origin.release("last")
            try await posts.told.wait(for: "manager succeeded")
            try await answer { second.start("unknown", onMainQueue: false, handler: $0) }
            #expect(posts.told.all == ["task first succeeded", "task last succeeded", "manager succeeded"])
        }
    }

    /// The daemon died before a completion was acknowledged, so it is delivered again. That is not a second transition.
    @Test func `are none that this process received before the daemon died`() async throws {
        try await withFerry(Self.held) { fixture in
            let queue = DispatchQueue(label: "blocked")
            let gate = DispatchSemaphore(value: 0)
            let posts = Posts(fixture)
            defer { posts.stop() }
            let manager = fixture.manager(queue: queue)
            let task = try #require(manager.download(fixture.origin.url("/file")))
            try await task.reaches(.running)
            // Undelivered events are not acknowledged.
            queue.async { gate.wait() }
            fixture.origin.release("go")
            try await task.reaches(.succeeded)
            try await fixture.daemon.killDaemon()
            let other = try #require(manager.download(fixture.origin.url("/other")))
            try await other.reaches(.succeeded)
            await manager.shared.attached.caughtUp()
            gate.signal()
            try await posts.told.wait(for: "task other succeeded")
            try await answer { manager.start("unknown", onMainQueue: false, handler: $0) }
            #expect(posts.told.all.count { $0 == "task file succeeded" } == 1, "\(posts.told.all)")
            #expect(posts.told.all.count { $0 == "task other succeeded" } == 1, "\(posts.told.all)")
        }
    }

    /// A regression: a pause from before the daemon died is delivered again with the unacknowledged events. The task
    /// was running again by then, but was shown as suspended.
    @Test func `are no pauses that were over before the daemon died`() async throws {
        try await withFerry(Self.held) { fixture in
            let queue = DispatchQueue(label: "blocked")
            let gate = DispatchSemaphore(value: 0)
            let manager = fixture.manager(queue: queue)
            let task = try #require(manager.download(fixture.origin.url("/file")))
            try await task.receives(1000)
            // Undelivered events are not acknowledged.
            queue.async { gate.wait() }
            let told = Notes<String>()
            task.failure { told.add("\($0.status)") }
            try await task.suspend()
            try await task.start()
            try await task.reaches(.running)
            try await fixture.daemon.killDaemon()
            let other = try #require(manager.download(fixture.origin.url("/other")))
            try await other.reaches(.running)
            gate.signal()
            fixture.origin.release("go")
            try await manager.reaches(.succeeded)
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.all == ["suspended"])
        }
    }

    /// docs/behaviour/session-manager.md#P5
    @Test func `and a record that cannot be read delay no other, and are logged`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(3))
            try await manager.reaches(.succeeded)
            await fixture.leave()
            let stored = tasks[1].state.withLock(\.transfer)
            let id = try #require(stored)
            var change = TransferChange()
            change.note = manager.shared.place.note("nothing that a task could be made of")
            let final = change
            _ = try await fixture.daemon.withClient { try await $0.change(id, final) }
            let notes = Notes<String>()
            let later = fixture.manager(logger: NotingLogger(notes: notes))
            #expect(later.tasks.map(\.id) == [tasks[0].id, tasks[2].id])
            try await notes.wait("an entry") { $0.contains { $0.contains("journal_failed") } }
            #expect(try await fixture.stored() == 3)
        }
    }
}
