import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `States` {
    @Test func `an operation that the daemon's death interrupts is sent again`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(3))
            for task in tasks { try await task.reaches(.running) }
            try await fixture.daemon.killDaemon()
            let statuses = Notes<Status>()
            manager.suspend(tasks[0]) { statuses.add($0.status) }
            manager.cancel(tasks[1]) { statuses.add($0.status) }
            manager.remove(tasks[2]) { statuses.add($0.status) }
            let seen = try await statuses.wait(count: 3)
            #expect(seen == [.suspended, .canceled, .removed])
            #expect(manager.tasks == [tasks[0]] && tasks.map(\.status) == seen)
        }
    }

    @Test func `the daemon's death leaves no task in a state without a way out`() async throws {
        let script = OriginScript(FerryFixture.body, .on(.pathRequests(...1), .hold("never", at: .body(1000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager(limit: 2)
            let tasks = manager.multiDownload(fixture.urls(3))
            try await tasks[0].reaches(.running)
            try await tasks[1].reaches(.running)
            // Each task's first request never gets a response.
            await fixture.origin.waitForRequests(2)
            try await answer { manager.suspend(tasks[1], handler: $0) }
            try await tasks[2].reaches(.running)
            await fixture.origin.waitForRequests(3)
            try await fixture.daemon.killDaemon()
            manager.totalStart()
            for task in tasks {
                try await task.reaches(.succeeded)
                #expect(task.digest == FerryFixture.body.sha256Hex)
            }
        }
    }

    @Test func `as many tasks are running as the origin serves`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 2)
            let tasks = manager.multiDownload(fixture.urls(4))
            await fixture.origin.waitForRequests(2)
            try await tasks[0].reaches(.running)
            try await tasks[1].reaches(.running)
            #expect(manager.count(.running) == 2 && manager.count(.waiting) == 2)
            #expect(fixture.origin.facts.activeResponses == 2)
            try await answer { manager.suspend(tasks[0], handler: $0) }
            try await tasks[2].reaches(.running)
            #expect(manager.count(.running) == 2 && manager.count(.suspended) == 1)
            fixture.origin.release("go")
            for task in tasks.dropFirst() { try await task.reaches(.succeeded) }
            #expect(manager.count(.running) == 0 && fixture.origin.facts.mostActiveResponses <= 3)
        }
    }

    @Test func `a waiting task says why, any other has no reason`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = manager.multiDownload(fixture.urls(2))
            try await tasks[0].reaches(.running)
            #expect(tasks[0].waitingReason == nil && tasks[1].status == .waiting && tasks[1].waitingReason == .slot)
            try await answer { manager.suspend(tasks[1], handler: $0) }
            #expect(tasks[1].waitingReason == nil)
            fixture.origin.release("go")
            try await tasks[0].reaches(.succeeded)
            #expect(tasks[0].waitingReason == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a task whose host is at the daemon's limit says so`(comesLater: Bool) async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 12)
            let urls = fixture.urls(10)
            var tasks = manager.multiDownload(Array(urls.prefix(comesLater ? 9 : 10)))
            await fixture.origin.waitForRequests(8)
            try await eventually { tasks[8].waitingReason == .host }
            if comesLater { tasks += manager.multiDownload([urls[9]]) }
            try await eventually { tasks[9].waitingReason == .host }
            fixture.origin.release("go")
            for task in tasks { try await task.reaches(.succeeded) }
            #expect(tasks[9].waitingReason == nil)
        }
    }

    @Test(arguments: [
        (#""reachable": false"#, WaitingReason.network), (#""expensive": true"#, .networkPolicy),
        (#""constrained": true"#, .networkPolicy), (#""cellular": true"#, .networkPolicy),
    ])
    func `a barred task waits with the reason and goes on by itself`(conditions: String, reason: WaitingReason)
        async throws
    {
        try await withFerry { fixture in
            try fixture.setConditions(#"{"includesLoopback": true, \#(conditions)}"#)
            let manager = fixture.manager {
                $0.allowsCellularAccess = false
                $0.allowsExpensiveNetworkAccess = false
                $0.allowsConstrainedNetworkAccess = false
            }
            let told = Notes<String>()
            let task = try #require(manager.download(fixture.origin.url()))
            told.observe(task)
            try await task.waits { $0 == reason }
            #expect(fixture.origin.requests.isEmpty && manager.status == .running)
            try fixture.setConditions("{}")
            try await told.wait(for: "task success succeeded")
            #expect(told.ends == ["task success succeeded"] && task.waitingReason == nil)
        }
    }

    @Test func `twenty rapid pauses and starts lose no byte`() async throws {
        let body = SeededBody(seed: 12, size: 2_000_000)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: 1_000_000))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.receives(100_000)
            for _ in 0..<20 {
                manager.suspend(url)
                manager.start(url)
            }
            try await task.reaches(.succeeded)
            #expect(task.digest == body.sha256Hex)
            let starts = fixture.origin.requests.map { request in
                if case .satisfiable(let range)? = request.range(in: body.size) { range.lowerBound } else { Int64(0) }
            }
            #expect(starts == starts.sorted(), "a later request begins where an earlier one was past")
            #expect(starts.dropFirst().allSatisfy { $0 > 0 })
        }
    }

    @Test func `the last of many operations decides`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.reaches(.running)
            for _ in 0..<10 {
                manager.suspend(url)
                manager.start(url)
            }
            let last = try await answer { manager.suspend(url, handler: $0) }
            #expect(last === task && task.status == .suspended)
        }
    }

    @Test func `manager states follow those of its tasks`() async throws {
        let script = OriginScript(
            FerryFixture.body, .on(.path("/held*"), .hold("held", at: .body(1000))), .on(.path("/bad*"), .status(404)))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            #expect(manager.status == .waiting && manager.tasks.isEmpty)
            let good = try #require(manager.download(fixture.origin.url("/good")))
            try await good.reaches(.succeeded)
            #expect(manager.status == .succeeded && manager.succeededTasks == [good])
            let bad = try #require(manager.download(fixture.origin.url("/bad")))
            try await bad.reaches(.failed)
            #expect(manager.status == .failed)
            let held = manager.multiDownload(fixture.urls(2, "held"))
            #expect(manager.status == .running)
            try await answer { manager.suspend(held[0], handler: $0) }
            #expect(manager.status == .running)
            try await answer { manager.suspend(held[1], handler: $0) }
            #expect(manager.status == .suspended)
            for task in held { try await answer { manager.cancel(task, handler: $0) } }
            #expect(manager.status == .failed)
            try await answer { manager.remove(bad, handler: $0) }
            #expect(manager.status == .succeeded && manager.tasks == [good])
            try await answer { manager.remove(good, handler: $0) }
            #expect(manager.status == .removed && manager.tasks.isEmpty && manager.succeededTasks.isEmpty)
        }
    }

    @Test func `the last canceled task makes the manager canceled, all of them too`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            manager.download(url)
            try await answer { manager.cancel(url, handler: $0) }
            #expect(manager.status == .canceled)
            manager.multiDownload(fixture.urls(3))
            #expect(manager.status == .running)
            try await answer { manager.totalCancel(handler: $0) }
            #expect(manager.status == .canceled)
            manager.multiDownload(fixture.urls(3))
            try await answer { manager.totalRemove(handler: $0) }
            #expect(manager.status == .removed)
        }
    }

    @Test(arguments: [false, true]) func `a paused task shows the bytes that are durable, as after a relaunch`(
        isTotal: Bool
    ) async throws {
        let script = OriginScript(FerryFixture.body, always: .throttle(bytesPerSecond: 400_000))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            for round in 1...3 {
                try await task.receives(Int64(round) * 40_000)
                if isTotal {
                    try await answer { manager.totalSuspend(handler: $0) }
                } else {
                    try await answer { manager.suspend(task, handler: $0) }
                }
                let bytes = try await fixture.bytes()
                #expect(task.status == .suspended)
                #expect([task.progress.completedUnitCount] == bytes)
                try await answer { manager.start(task, handler: $0) }
            }
            try await answer { manager.suspend(task, handler: $0) }
            let shown = task.progress.completedUnitCount
            let later = await fixture.relaunch().tasks.map(\.progress.completedUnitCount)
            #expect(later == [shown])
        }
    }
}
