// Ferry: FerryDaemonTests
// A daemon that is ended by traps soon after its starts.

import FerryTesting
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A daemon that traps` {
    /// Swift's own handler, which says where a trap was, waits for a fault to come again: a signal that was sent does not.
    private static let withoutBacktrace = ["SWIFT_BACKTRACE": "enable=no"]
    private static let body = SeededBody(seed: 41, size: 1_000_000)

    /// Ends the daemon as a failed check of its own does.
    private func trap(_ ferry: DaemonFixture, _ signal: Int32) async throws {
        let pid = try #require(ferry.daemons.first)
        _ = Glibc.kill(pid, signal)
        try await ferry.waitForNoDaemon()
    }

    /// A transfer that ends the daemon ended it again at each start, and every command failed.
    @Test(arguments: [(SIGILL, SIGTRAP), (SIGABRT, SIGSEGV), (SIGBUS, SIGFPE)])
    func `holds all transfers at its third start, names those at work and says how to go on`(
        _ first: Int32, _ second: Int32
    ) async throws {
        let script = OriginScript(Self.body, .on(.path("/bad.bin"), .hold("never", at: .body(500_000))))
        try await withDaemon(script) { ferry, origin in
            try await ferry.startDaemon(Self.withoutBacktrace)
            let bad = try await ferry.add(origin.url("/bad.bin"))
            await origin.waitForHold("never")
            try await trap(ferry, first)
            try await ferry.startDaemon(Self.withoutBacktrace)
            await origin.wait { $0.requests.filter { $0.path == "/bad.bin" }.count == 2 }
            try await trap(ferry, second)
            try await ferry.startDaemon()

            let good = try await ferry.add(origin.url("/good.bin"))
            #expect(try await ferry.info(good).reason == "held")
            let status = try await ferry.run(["daemon", "status"])
            #expect(status.status == 0)
            #expect(status.stdout.contains("warning:") && status.stdout.contains("At work: \(bad)."))

            // What the warning says is what helps.
            #expect(try await ferry.run(["pause", bad]).status == 0)
            #expect(try await ferry.run(["daemon", "stop"]).status == 0)
            #expect(try await ferry.run(["wait", good]).status == 0)
            #expect(try ferry.sha256("good.bin") == Self.body.sha256Hex)
            #expect(try await ferry.info(bad).state == "suspended")
            #expect(try await !ferry.run(["daemon", "status"]).stdout.contains("warning:"))
        }
    }
}
