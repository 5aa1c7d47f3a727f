import FerryCore
import FerryRules
import FerryTesting
import NIOCore
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Time limits of one exchange` {
    /// A regression: the connection timeout was added to the head timeout, even with an existing connection.
    @Test func `T8 the head has its own time from the request on`() async throws {
        let script = OriginScript(always: .stall(after: 0), .hold("never", at: .head))
        try await withEngine(
            script,
            configured: {
                $0.timeouts.head = 0.05
                // Longer than the test may take.
                $0.timeouts.unanswered = 3600
            }
        ) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 1)
            #expect(history.codes == [.timedOut])
        }
    }

    @Test func `T8 informational heads do not prolong the time for the head`() async throws {
        let script = OriginScript(always: .endlessInformational(every: .milliseconds(5)))
        try await withEngine(
            script,
            configured: {
                $0.timeouts.head = 0.1
                $0.timeouts.unanswered = 3600
            }
        ) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 1)
            #expect(history.codes == [.timedOut])
        }
    }

    @Test func `T8 the head's time is 60 seconds, and one of a request's own is for all of it`() {
        var timeouts = Timeouts()
        #expect(timeouts.head == 60 && timeouts.unanswered == timeouts.connect + timeouts.head)
        timeouts.limit(to: 10)
        #expect(timeouts == Timeouts(connect: 10, head: 10, unanswered: 10, idle: 10))
    }

    @Test func `the end of pauses ends the waiting one and each later one`() async {
        let pauses = Pauses()
        async let pause: Void = pauses.wait(seconds: 3600)
        await Task.yield()
        pauses.end()
        await pause
        await pauses.wait(seconds: 3600)
    }

    /// A regression: the pause before a redirect keeps the run waiting, and pausing the transfer waited for it too.
    @Test func `T12 a stop does not wait for a server's Retry-After before a redirect`() async throws {
        let script = OriginScript(
            rules: [.on(.path("/a"), .redirect(to: "/file.bin", status: 307), .field("Retry-After", "3"))])
        try await withEngine(script) { harness, origin in
            let run = harness.makeRun(harness.job(harness.request(origin.url("/a"))))
            async let report = run.run()
            await origin.wait { $0.requests.count == 1 }
            await run.stop()
            guard case .stopped = await report.result else {
                Issue.record("it has not stopped")
                return
            }
            #expect(origin.requests.count == 1)
        }
    }
}

extension Timeouts {
    fileprivate init(connect: Double, head: Double, unanswered: Double, idle: Double) {
        self.init()
        (self.connect, self.head, self.unanswered, self.idle) = (connect, head, unanswered, idle)
    }
}
