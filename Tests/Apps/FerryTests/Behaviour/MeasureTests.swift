import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Measures` {
    private static let body = FerryFixture.body

    @Test func `the total is -1 until the size is known`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/chunked"), .chunked, .hold("chunked", at: .body(100_000))),
            .on(.path("/sized"), .hold("sized", at: .head)))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let chunked = try #require(manager.download(fixture.origin.url("/chunked")))
            let sized = try #require(manager.download(fixture.origin.url("/sized")))
            #expect(sized.progress.totalUnitCount == -1)
            try await chunked.receives(100_000)
            #expect(chunked.progress.totalUnitCount == -1 && (0...1).contains(chunked.progress.fractionCompleted))
            fixture.origin.release("sized")
            try await sized.reaches(.succeeded)
            #expect(sized.progress.totalUnitCount == 300_000 && sized.progress.completedUnitCount == 300_000)
            // A task of unknown size counts as the mean of the others.
            #expect(manager.progress.completedUnitCount == 400_000 && manager.progress.totalUnitCount == 600_000)
            fixture.origin.release("chunked")
            try await chunked.reaches(.succeeded)
            #expect(chunked.progress.totalUnitCount == 300_000 && chunked.progress.fractionCompleted == 1)
            #expect(manager.progress.totalUnitCount == 600_000 && manager.progress.fractionCompleted == 1)
        }
    }

    @Test func `fractions stay within 0 and 1 and never fall`() async throws {
        let script = OriginScript(
            SeededBody(seed: 3, size: 1_000_000), .on(.turn(0, of: 2), .chunked),
            .always(.throttle(bytesPerSecond: 1_500_000)))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let fractions = Notes<Double>()
            manager.progress { fractions.add($0.progress.fractionCompleted) }
            let tasks = manager.multiDownload(fixture.urls(2))
            let own = tasks.map { task in
                let own = Notes<Double>()
                task.progress { own.add($0.progress.fractionCompleted) }
                return own
            }
            try await manager.reaches(.succeeded)
            try await answer { manager.totalStart(handler: $0) }
            #expect(fractions.all.allSatisfy { (0...1).contains($0) } && fractions.all.last == 1)
            for own in own.map(\.all) { #expect(own.allSatisfy { (0...1).contains($0) } && own == own.sorted()) }
        }
    }

    @Test func `received bytes fall only after a restart was reported`() async throws {
        let other = SeededBody(seed: 77, size: 300_000)
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(200_000)))) { fixture in
            let (manager, task) = try await fixture.suspended(after: 200_000)
            let events = Notes<DownloadEvent>()
            let reading = try await events.follow(task)
            fixture.origin.script = OriginScript(other, always: .throttle(bytesPerSecond: 600_000))
            manager.start(task)
            try await task.reaches(.succeeded)
            await reading.value
            var last: Int64 = 200_000
            var isRestarted = false
            for event in events.all {
                if case .restarted = event { isRestarted = true }
                guard case .progress(let progress) = event else { continue }
                #expect(progress.receivedBytes >= last || isRestarted)
                if progress.receivedBytes < last { isRestarted = false }
                last = progress.receivedBytes
            }
            #expect(task.digest == other.sha256Hex && task.progress.fractionCompleted == 1)
        }
    }

    @Test func `speed is what flows, and nothing in a stall`() async throws {
        let body = SeededBody(seed: 4, size: 3_000_000)
        let script = OriginScript(
            body, always: .throttle(bytesPerSecond: 500_000), .hold("never", at: .body(1_000_000)))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            #expect(task.speed == 0 && task.timeRemaining == 0 && manager.timeRemaining == 0)
            try await eventually("bytes flow") {
                task.speed > 0 && task.timeRemaining > 0 && manager.speed > 0 && manager.timeRemaining > 0
            }
            let sum = manager.tasks.reduce(0) { $0 + $1.progress.totalUnitCount }
            #expect(sum == manager.progress.totalUnitCount)
            #expect(task.speedString.hasSuffix("/s") && task.timeRemainingString.contains(":"))
            try await task.receives(1_000_000)
            try await eventually("the stall shows") { task.speed == 0 && manager.speed == 0 }
            #expect(task.timeRemaining == 0)
        }
    }

    @Test func `dates are those of the attempt`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = manager.multiDownload(fixture.urls(2))
            try await tasks[0].reaches(.running)
            #expect(abs(tasks[0].startDate - Date().timeIntervalSince1970) < 60 && tasks[0].endDate == 0)
            #expect(tasks[1].startDate == 0 && tasks[1].endDate == 0)
            fixture.origin.release("go")
            try await tasks[0].reaches(.succeeded)
            #expect(tasks[0].endDate >= tasks[0].startDate)
            #expect(tasks[0].endDateString.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil)
            #expect(tasks[0].startDateString.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil)
        }
    }
}
