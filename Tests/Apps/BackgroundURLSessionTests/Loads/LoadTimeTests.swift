import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `The time of a data task` {
    private let body = SeededBody(seed: 81, size: 200_000)

    @Test(arguments: [0, .infinity, .greatestFiniteMagnitude])
    func `21, 22 zero and more than ten years are no limit`(seconds: Double) async throws {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = seconds
        configuration.timeoutIntervalForResource = seconds
        try await withLoads(OriginScript(body), configuration) { bed in
            let story = try await bed.witness.end(of: bed.started())
            #expect(story.error == nil && story.data.elementsEqual(body.bytes))
        }
    }

    @Test(arguments: [HoldPoint.head, .body(1000)])
    func `22 a task that does not end in its time ends with -1001`(point: HoldPoint) async throws {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.05
        try await withLoads(OriginScript(body, .on(.always, .hold("never", at: point))), configuration) { bed in
            let story = try await bed.witness.end(of: bed.started())
            #expect(story.error?.code == .timedOut && story.error?.failingURL == bed.url)
        }
    }

    @Test func `22 a task whose delegate does not answer ends in its time`() async throws {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.05
        try await withLoads(OriginScript(body), answersResponses: false, configuration) { bed in
            let story = try await bed.witness.end(of: bed.started())
            #expect(story.error?.code == .timedOut && story.data.isEmpty)
        }
    }

    @Test func `22 a task's time does not pass while it is suspended`() {
        let begin = ContinuousClock.now
        var time = RunningTime(.seconds(10))
        #expect(time.start(begin) == .seconds(10))
        time.stop(begin + .seconds(4))
        time.stop(begin + .seconds(5))
        #expect(time.start(begin + .seconds(1000)) == .seconds(6))
        #expect(time.start(begin + .seconds(1001)) == .seconds(5))
    }
}
