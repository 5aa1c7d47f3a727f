import Ferry
import FerryClient
import FerryCore
import FerryTesting
import Foundation
import SeedKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A queue of many tasks` {
    /// A slot that is lost when a task is paused, canceled or removed makes the queue slower until it stands still.
    @Test func `leaves no slot free beside a task that could run, whatever is done`() async throws {
        let body = SeededBody(seed: 81, size: 20_000)
        try await withFerry(OriginScript(body, always: .throttle(bytesPerSecond: 400_000))) { fixture in
            let limit = 4
            let manager = fixture.manager(limit: limit)
            let urls = fixture.urls(200)
            manager.multiDownload(urls)
            let watch = Task { try await Self.looksAtIdleSlot(fixture, limit) }
            var random = SplitMix(seed: 81)
            for _ in 0..<400 {
                let url = urls[Int.random(in: 0..<urls.count, using: &random)]
                switch Int.random(in: 0..<7, using: &random) {
                case 0: manager.suspend(url)
                case 1: manager.cancel(url)
                case 2: manager.remove(url, completely: true)
                case 3: manager.download(url)
                case 4: manager.moveTask(at: manager.tasks.count - 1, to: 0)
                default: manager.start(url)
                }
            }
            try await answer { manager.totalStart(handler: $0) }
            try await eventually(within: .seconds(120)) { manager.tasks.allSatisfy { $0.status == .succeeded } }
            watch.cancel()
            let idle = try await watch.value
            // An unused slot would show as free after each of the hundreds of following events.
            #expect(idle < 100, "a slot was free at \(idle) looks, one after the other")
            #expect(fixture.origin.facts.mostActiveResponses <= 2 * limit)
            #expect(manager.tasks.allSatisfy { $0.digest == body.sha256Hex })
        }
    }

    /// Returns how many times in a row the daemon showed a free slot beside an eligible task. Checked after each event.
    @concurrent private static func looksAtIdleSlot(_ fixture: FerryFixture, _ limit: Int) async throws -> Int {
        try await fixture.daemon.withClient { client in
            var longest = 0
            var looks = 0
            var query = TransferQuery()
            query.limit = 1000
            query.states = [.running, .waiting]
            // Every change of a slot causes an event. Canceling the watch also ends the stream.
            var events = try await client.events(EventSubscription()).makeAsyncIterator()
            while (try? await events.next()) != nil {
                guard let transfers = try? await client.transfers(query).transfers else { break }
                let running = transfers.count { $0.state == .running }
                let eligible = transfers.contains { $0.state == .waiting && [.slot, .session].contains($0.reason) }
                looks = running < limit && eligible ? looks + 1 : 0
                longest = max(longest, looks)
            }
            return longest
        }
    }

    /// A late reply to an old `cancel` must not end the new task of the same URL.
    @Test func `that is canceled and added again fifty times is downloaded`() async throws {
        let script = OriginScript(SeededBody(seed: 82, size: 50_000), always: .throttle(bytesPerSecond: 500_000))
        try await withFerry(script) { fixture in
            let manager = fixture.manager(limit: 3)
            let urls = fixture.urls(6)
            for _ in 0..<50 {
                manager.totalCancel()
                #expect(manager.multiDownload(urls).count == 6)
            }
            for task in manager.tasks { try await task.reaches(.succeeded) }
            try await eventually("a task for each URL") { manager.tasks.count == 6 }
            // A task that succeeds before it could be canceled keeps its place.
            #expect(Set(manager.tasks.map(\.url.absoluteString)) == Set(urls) && manager.status == .succeeded)
            #expect(manager.tasks.allSatisfy { $0.digest == fixture.origin.script.body.sha256Hex })
        }
    }

    /// A call for all tasks must leave none of them out in a long list. `scripts/bench --manager` measures the times.
    @Test func `of thousands is handled by single calls`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .head))) { fixture in
            let count = 3000
            let manager = fixture.manager(limit: 2)
            let tasks = manager.multiDownload(fixture.urls(count))
            #expect(manager.tasks == tasks && tasks.count == count)
            try await answer { manager.totalSuspend(handler: $0) }
            #expect(manager.count(.suspended) == count && manager.status == .suspended)
            try await answer { manager.totalStart(handler: $0) }
            for task in tasks.prefix(2) { try await task.reaches(.running) }
            #expect(manager.count(.running) == 2 && manager.count(.waiting) == count - 2)
            let other = fixture.manager(limit: 2)
            #expect(other.tasks == tasks)
            try await answer { manager.totalCancel(handler: $0) }
            #expect(manager.tasks.isEmpty && tasks.allSatisfy { $0.status == .canceled })
            #expect(manager.status == .canceled)
            #expect(try await fixture.stored() == 0)
        }
    }

    /// An app that opens and closes screens makes many managers, and none of them may restart or stop a download.
    @Test func `is served to a thousand managers that come and go`() async throws {
        let body = SeededBody(seed: 83, size: 400_000)
        try await withFerry(OriginScript(body, always: .throttle(bytesPerSecond: 200_000))) { fixture in
            let urls = fixture.urls(4)
            let told = Notes<String>()
            for task in fixture.manager().multiDownload(urls) { told.observe(task) }
            fixture.forgetManagers()
            for round in 0..<1000 {
                let manager = fixture.manager()
                #expect(manager.tasks.count == 4)
                if round.isMultiple(of: 3) { manager.invalidate() }
                if round.isMultiple(of: 7) { manager.start(urls[round % 4]) }
                fixture.forgetManagers()
            }
            try await told.wait(count: 4) { $0.hasSuffix("success succeeded") }
            let last = fixture.manager()
            #expect(last.count(.succeeded) == 4 && last.tasks.allSatisfy { $0.digest == body.sha256Hex })
            #expect(fixture.origin.requests.count == 4)
        }
    }

    /// A user who needs one file now does not have to wait for all that were added before it.
    @Test func `starts the last of a hundred next if it is raised`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, .on(.request(1), .hold("first", at: .head)))) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = manager.multiDownload(fixture.urls(100))
            await fixture.origin.waitForHold("first")
            try await tasks[99].setPriority(10)
            fixture.origin.release("first")
            await fixture.origin.waitForRequests(3)
            #expect(fixture.origin.requests.prefix(3).map(\.path) == ["/file-0.bin", "/file-99.bin", "/file-1.bin"])
        }
    }
}

extension Notes<String> {
    /// Waits until this number of notes satisfies a condition.
    func wait(count: Int, where isWanted: (String) -> Bool) async throws {
        try await wait("\(count) such notes") { $0.count(where: isWanted) >= count }
    }
}
