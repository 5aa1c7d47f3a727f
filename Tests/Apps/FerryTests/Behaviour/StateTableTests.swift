import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Calls by state` {
    enum Call: String, CaseIterable {
        case download, start, suspend, cancel, remove
    }

    static let table: [(Status, [Call: Status])] = [
        (
            .waiting,
            [.download: .waiting, .start: .waiting, .suspend: .suspended, .cancel: .canceled, .remove: .removed]
        ),
        (
            .running,
            [.download: .running, .start: .running, .suspend: .suspended, .cancel: .canceled, .remove: .removed]
        ),
        (
            .suspended,
            [.download: .waiting, .start: .waiting, .suspend: .suspended, .cancel: .canceled, .remove: .removed]
        ),
        (.failed, [.download: .waiting, .start: .waiting, .suspend: .failed, .cancel: .canceled, .remove: .removed]),
        (
            .succeeded,
            [
                .download: .succeeded, .start: .succeeded, .suspend: .succeeded, .cancel: .succeeded,
                .remove: .removed,
            ]
        ),
    ]

    /// Performs a call on a task, by its URL or its object, and returns the task as seen by the handler.
    private func run(_ call: Call, _ task: DownloadTask, byURL: Bool, _ manager: SessionManager) async throws -> Status
    {
        let seen = try await answer { (handler: @escaping Handler<(DownloadTask, Status)>) in
            let handler: Handler<DownloadTask> = { handler(($0, $0.status)) }
            switch (call, byURL) {
            case (.download, _): manager.download(task.url, handler: handler)
            case (.start, true): manager.start(task.url, handler: handler)
            case (.start, false): manager.start(task, handler: handler)
            case (.suspend, true): manager.suspend(task.url, handler: handler)
            case (.suspend, false): manager.suspend(task, handler: handler)
            case (.cancel, true): manager.cancel(task.url, handler: handler)
            case (.cancel, false): manager.cancel(task, handler: handler)
            case (.remove, true): manager.remove(task.url, handler: handler)
            case (.remove, false): manager.remove(task, handler: handler)
            }
        }
        #expect(seen.0 === task)
        return seen.1
    }

    @Test(arguments: [true, false], table)
    func `each call leads from each state to the state of the table`(
        byURL: Bool, row: (from: Status, expected: [Call: Status])
    ) async throws {
        let script = OriginScript(
            FerryFixture.body, .on(.path("/holder"), .hold("holder", at: .body(1000))),
            .on(.path("/running*"), .hold("running", at: .body(1000))), .on(.path("/failed*"), .status(404)))
        try await withFerry(script) { fixture in
            let isFinal = row.from == .failed || row.from == .succeeded
            let manager = fixture.manager(limit: isFinal || row.from == .running ? 20 : 1)
            if !isFinal, row.from != .running {
                try await #require(manager.download(fixture.origin.url("/holder"))).reaches(.running)
            }
            let tasks = manager.multiDownload(fixture.urls(Call.allCases.count, row.from.rawValue))
            if row.from == .suspended { for task in tasks { manager.suspend(task) } }
            for task in tasks { try await task.reaches(row.from) }
            if isFinal {
                manager.configuration.maxConcurrentTasksLimit = 1
                try await #require(manager.download(fixture.origin.url("/holder"))).reaches(.running)
            }
            for (task, call) in zip(tasks, Call.allCases) {
                let status = try await run(call, task, byURL: byURL, manager)
                #expect(status == row.expected[call], "\(call) on a \(row.from) task")
                #expect(task.status == row.expected[call], "\(call) on a \(row.from) task")
                let isGone = status == .canceled || status == .removed
                #expect(manager.tasks.contains(task) == !isGone)
                #expect((manager.fetchTask(task.url) == nil) == isGone)
            }
        }
    }

    @Test func `a download of a canceled or removed task is a new task`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let first = try #require(manager.download(url))
            try await answer { manager.cancel(url, handler: $0) }
            let second = try #require(manager.download(url))
            try await answer { manager.remove(url, handler: $0) }
            let third = try #require(manager.download(url))
            #expect(first !== second && second !== third && Set([first.id, second.id, third.id]).count == 3)
            try await third.reaches(.running)
            #expect(first.status == .canceled && second.status == .removed && manager.tasks == [third])
        }
    }
}
