@testable import Ferry
import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Progress of a manager` {
    @Test func `is reported completely before the end, though the last bytes came just after others`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            manager.progress { told.add("progress \($0.progress.completedUnitCount)") }
                .success { told.add("success \($0.progress.completedUnitCount)") }
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.receives(1000)
            let stored = task.state.withLock(\.transfer)
            let id = try #require(stored)
            var transfer = try await fixture.daemon.withClient { try await $0.transfer(id) }
            // In quicker succession than closures are called.
            for (bytes, state) in [(200_000, TransferState.running), (300_000, .running), (300_000, .succeeded)] {
                transfer.bytesReceived = Int64(bytes)
                transfer.state = state
                let event = TransferEvent(
                    number: nil, kind: state == .running ? .progress : .succeeded, at: Date(), id: id,
                    session: manager.shared.place.session, transfer: transfer)
                manager.shared.take(.event(event), .init())
            }
            try await told.wait(for: "success 300000")
            #expect(told.all.suffix(2) == ["progress 300000", "success 300000"])
        }
    }

    /// docs/behaviour/session-manager.md#closures, #N1: however often the daemon reports it.
    @Test func `is reported ten times a second at most, like that of its tasks`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.receives(1000)
            let stored = task.state.withLock(\.transfer)
            let id = try #require(stored)
            var transfer = try await fixture.daemon.withClient { try await $0.transfer(id) }
            let told = Notes<String>()
            let tokens = [DownloadTask.runningNotification, SessionManager.runningNotification].map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    if notification.downloadTask === task { told.add("task") }
                    if notification.sessionManager === manager { told.add("manager") }
                }
            }
            defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
            let start = ContinuousClock.now + .seconds(60)
            for sample in 0..<40 {
                transfer.bytesReceived = Int64(2000 + sample)
                let (said, moment) = (transfer, start + .milliseconds(25 * sample))
                manager.shared.state.withLock { manager.shared.take(said, of: task, at: moment, in: &$0) }
            }
            try await answer { manager.start("unknown", onMainQueue: false, handler: $0) }
            #expect(told.all.count { $0 == "task" } == 10 && told.all.count { $0 == "manager" } == 10)
        }
    }
}
