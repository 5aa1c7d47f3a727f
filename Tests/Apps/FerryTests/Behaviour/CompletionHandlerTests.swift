@testable import Ferry
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

/// docs/behaviour/session-manager.md#P8, #A7, except for the launch, which is tested in FerryProcessTests.
@Suite(.timeLimit(.minutes(2))) struct `The completion handler of a manager` {
    private static let body = FerryFixture.body

    /// Labels the main queue while a test runs.
    private func withNamedMainQueue(_ body: (DispatchSpecificKey<Bool>) async throws -> Void) async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        try await body(key)
    }

    @Test func `is called at once where nothing is left to tell, on the main queue, and is then nil`() async throws {
        try await withNamedMainQueue { key in
            try await withFerry { fixture in
                let manager = fixture.manager()
                let other = fixture.manager()
                let task = try #require(manager.download(fixture.origin.url()))
                try await task.reaches(.succeeded)
                let told = Notes<String>()
                manager.completionHandler = {
                    told.add("first \(DispatchQueue.getSpecific(key: key) ?? false)")
                }
                try await told.wait(for: "first true")
                #expect(manager.completionHandler == nil && other.backgroundCompletionHandler == nil)
                other.backgroundCompletionHandler = {
                    told.add("second \(DispatchQueue.getSpecific(key: key) ?? false)")
                }
                try await told.wait(for: "second true")
                #expect(other.completionHandler == nil && manager.backgroundCompletionHandler == nil)
                try await answer { manager.start("unknown", handler: $0) }
                #expect(told.all == ["first true", "second true"])
            }
        }
    }

    @Test(arguments: [true, false])
    func `comes after the events of the time before, once, whichever manager has it`(isLate: Bool) async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            fixture.manager().multiDownload(fixture.urls(3))
            await fixture.leave()
            fixture.forgetManagers()
            fixture.origin.release("go")
            try await fixture.waitForEnds(3)
            let told = Notes<String>()
            let token = NotificationCenter.default.addObserver(
                forName: DownloadTask.didCompleteNotification, object: nil, queue: nil
            ) { notification in
                guard let task = notification.downloadTask, task.manager?.identifier == fixture.identifier else {
                    return
                }
                told.add("end")
            }
            defer { NotificationCenter.default.removeObserver(token) }
            let first = fixture.manager()
            let second = fixture.manager()
            if isLate {
                first.shared.events.calledToHandleEvents()
                try await told.wait(count: 3)
                second.backgroundCompletionHandler = { told.add("handler") }
            } else {
                second.backgroundCompletionHandler = { told.add("handler") }
                first.shared.events.calledToHandleEvents()
            }
            try await told.wait(for: "handler")
            try await answer { first.start("unknown", handler: $0) }
            #expect(told.all == ["end", "end", "end", "handler"] && first.completionHandler == nil)
        }
    }

    @Test func `gives way to the closure of the delegate, which is called once`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            manager.delegate.sessionDidFinishEventsForBackgroundURLSession = { [weak manager] session in
                told.add("closure \(session === manager?.session)")
            }
            manager.backgroundCompletionHandler = { told.add("handler") }
            manager.shared.events.calledToHandleEvents()
            try await told.wait(for: "closure true")
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.all == ["closure true"])
            // The closure is responsible for calling it.
            manager.backgroundCompletionHandler?()
            #expect(told.all == ["closure true", "handler"])
        }
    }
}
