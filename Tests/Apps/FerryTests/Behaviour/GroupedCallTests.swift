@testable import Ferry
import FerryTesting
import FerryURLSession
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Calls that follow each other` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, always: .hold("go", at: .body(1000)))

    /// Blocks the commands of a manager until the returned closure is called.
    private func hold(_ manager: SessionManager) -> @Sendable () -> Void {
        let (stream, gate) = AsyncStream<Void>.makeStream()
        manager.shared.commands.add { for await _ in stream { break } }
        return { gate.yield() }
    }

    @Test func `are carried out together if they do the same, and the handlers are called in order`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 3)
            let tasks = manager.multiDownload(fixture.urls(6))
            for task in tasks.prefix(3) { try await task.reaches(.running) }
            let release = hold(manager)
            let told = Notes<String>()
            for (index, task) in tasks.enumerated() {
                manager.suspend(task, onMainQueue: false) { told.add("suspend \(index) \($0.status)") }
            }
            manager.suspend(tasks[0], onMainQueue: false) { told.add("suspend again \($0.status)") }
            manager.cancel(tasks[5], onMainQueue: false) { told.add("cancel 5 \($0.status)") }
            manager.cancel(tasks[4], onMainQueue: false) { told.add("cancel 4 \($0.status)") }
            manager.remove(tasks[3], onMainQueue: false) { told.add("remove 3 \($0.status)") }
            release()
            try await told.wait(count: 10)
            #expect(told.all.map { String($0.prefix { !$0.isNumber }) }.filter { $0.hasPrefix("suspend") }.count == 7)
            #expect(
                told.all.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                    "suspend 0", "suspend 1", "suspend 2", "suspend 3", "suspend 4", "suspend 5", "suspend again",
                    "cancel 5", "cancel 4", "remove 3",
                ])
            #expect(manager.tasks == Array(tasks.prefix(3)) && manager.status == .suspended)
            #expect(tasks.map(\.status) == [.suspended, .suspended, .suspended, .removed, .canceled, .canceled])
        }
    }

    @Test func `are refused each for itself`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(2))
            let release = hold(manager)
            async let first: Void = tasks[0].cancel()
            async let second: Void = tasks[1].suspend()
            release()
            try await first
            try await second
            #expect(tasks.map(\.status) == [.canceled, .suspended])
        }
    }

    @Test func `leave a task out that an earlier call takes away, though another has changed nothing`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.reaches(.succeeded)
            let canceled = Notes<DownloadTask>()
            manager.cancel(task) { canceled.add($0) }
            let release = hold(manager)
            manager.remove(task)
            try await canceled.wait(count: 1)
            async let download = Self.download(url, manager)
            try await eventually("another task is made") { manager.tasks.count == 2 }
            release()
            let again = await download
            #expect(again !== task && task.status == .removed)
            try await #require(again).reaches(.succeeded)
            #expect(manager.tasks == [again])
        }
    }

    @Test func `leave one task of a URL, though the one that they cancel has succeeded before`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.reaches(.running)
            let release = hold(manager)
            manager.cancel(task)
            async let download = Self.download(url, manager)
            try await eventually("another task is made") { manager.tasks.count == 2 }
            fixture.origin.release("go")
            try await task.reaches(.succeeded)
            release()
            let again = await download
            #expect(again !== task)
            try await #require(again).reaches(.succeeded)
            try await eventually("one task is left") { manager.tasks == [again] }
            #expect(again?.digest == Self.body.sha256Hex && task.status == .succeeded)
            #expect(await fixture.relaunch().tasks.map(\.id) == [again?.id])
        }
    }

    @concurrent private static func download(_ url: String, _ manager: SessionManager) async -> DownloadTask? {
        manager.download(url)
    }

    private final class Group: Sendable {}

    @Test func `are one command for one group, as long as none is between them`() async {
        let queue = CommandQueue()
        let (stream, gate) = AsyncStream<Void>.makeStream()
        let ran = Notes<String>()
        queue.add { for await _ in stream { break } }
        let groups = (0..<4).map { _ in Group() }
        let takenUp = Notes<Bool>()
        func add(_ index: Int, after last: Int?) {
            queue.add(
                for: groups[index],
                isAbsorbed: { group in
                    takenUp.add(last.map { groups[$0] === group } ?? false)
                    return takenUp.all.last ?? false
                }
            ) { ran.add("group \(index)") }
        }
        add(0, after: nil)
        add(1, after: 0)
        add(2, after: nil)
        queue.add { ran.add("between") }
        add(3, after: 2)
        gate.yield()
        await queue.perform { ran.add("last") }
        #expect(ran.all == ["group 0", "group 2", "between", "group 3", "last"])
        #expect(takenUp.all == [true, false])
    }
}
