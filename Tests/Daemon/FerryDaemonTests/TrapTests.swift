import FerryTesting
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A daemon that traps` {
    private static let body = SeededBody(seed: 41, size: 1_000_000)

    /// Runs `body` with a daemon, then ends the daemon as a failed precondition would.
    private func withTrap(_ ferry: DaemonFixture, _ signal: Int32, _ body: () async throws -> Void) async throws {
        // Without Swift's backtrace handler, which waits for the fault to occur again. A sent signal does not.
        let daemon = try ferry.spawnDaemon(environment: ["SWIFT_BACKTRACE": "enable=no"])
        try await eventually("the daemon answers") { try await ferry.run(["daemon", "status"]).status == 0 }
        try await body()
        daemon.send(signal)
        #expect(await daemon.result().status == 128 + signal)
    }

    /// Otherwise a transfer that traps the daemon would do so at each start, and every command would fail.
    @Test(arguments: [(SIGILL, SIGTRAP), (SIGABRT, SIGSEGV), (SIGBUS, SIGFPE)])
    func `fails the running transfers at its third start, and all others continue`(
        _ first: Int32, _ second: Int32
    ) async throws {
        let script = OriginScript(Self.body, .on(.path("/bad.bin"), .hold("never", at: .body(500_000))))
        try await withDaemon(script) { ferry, origin in
            var bad = ""
            try await withTrap(ferry, first) {
                bad = try await ferry.add(origin.url("/bad.bin"))
                await origin.waitForHold("never")
            }
            try await withTrap(ferry, second) {
                await origin.wait { $0.requests.filter { $0.path == "/bad.bin" }.count == 2 }
            }
            try await ferry.startDaemon()

            // `ferry wait` reports that the bad one has failed.
            let waited = try await ferry.run(["wait", bad])
            #expect(waited.status == 1 && waited.stderr.contains("`ferry retry \(bad)`"), "\(waited)")
            let status = try await ferry.run(["daemon", "status"])
            #expect(status.status == 0)
            #expect(status.stdout.contains("warning:") && status.stdout.contains("have failed: \(bad)."))

            let good = try await ferry.add(origin.url("/good.bin"))
            #expect(try await ferry.run(["wait", good]).status == 0)
            #expect(try ferry.sha256("good.bin") == Self.body.sha256Hex)

            // The advice in the message works, and no later start fails the transfer again.
            origin.release("never")
            try await ferry.startDaemon()
            #expect(try await ferry.run(["retry", bad]).status == 0)
            #expect(try await ferry.run(["wait", bad]).status == 0)
            #expect(try ferry.sha256("bad.bin") == Self.body.sha256Hex)
        }
    }
}
