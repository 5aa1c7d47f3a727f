import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `An app killed in the middle` {
    private static let body = SeededBody(seed: 72, size: 100_000)

    @Test func `right after download has returned has lost nothing`() async throws {
        try await withApp(OriginScript(Self.body)) { app in
            for number in 0..<10 {
                let process = try app.launch("download \(app.origin.url("/file-\(number)"))", "kill")
                #expect(await process.end() == 128 + SIGKILL)
                #expect(process.lines("downloaded").count == 1)
            }
            let process = try app.launch("many 50 \(app.origin.url("/many"))", "kill")
            #expect(await process.end() == 128 + SIGKILL)
            try await app.finished(60)
            let last = try app.launch("manager", "status")
            try await last.line("tasks 60 succeeded 60")
            let wanted = (0..<10).map { "/file-\($0)" } + (0..<50).map { "/many-\($0)" }
            #expect(last.lines("task ").map { String($0.split(separator: " ")[1]) } == wanted)
        }
    }

    /// docs/behaviour/session-manager.md#B1: all or nothing.
    @Test func `within a batch leaves all of its tasks or none`() async throws {
        try await withApp(OriginScript(Self.body, always: .hold("never", at: .head))) { app in
            for round in 1...8 {
                let process = try app.launch("manager", "many 300 \(app.origin.url("/round-\(round)"))")
                try await process.line("manager")
                await process.kill()
            }
            let last = try app.launch("manager", "status")
            let count = try await last.line("tasks ").split(separator: " ")[1]
            #expect(try #require(Int(count)) % 300 == 0)
        }
    }

    struct Pending: Sendable, CustomTestStringConvertible {
        var call: String
        var will: String
        var testDescription: String { will }
    }

    /// A stored `willSuspend`, `willCancel` or `willRemove` would leave the task stuck, as no event completes it.
    @Test(arguments: [
        Pending(call: "suspend", will: "willSuspend"), Pending(call: "cancel", will: "willCancel"),
        Pending(call: "remove", will: "willRemove"),
    ])
    func `in a state that only this process knows leaves one with a way out`(pending: Pending) async throws {
        try await withApp(OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(1000))))) { app in
            let url = app.origin.url("/file")
            let first = try app.launch("manager", "download \(url)", "reaches \(url) running")
            try await first.line("reached")
            // A transfer is running before it sends its request. The held request must be this one.
            await app.origin.waitForRequests(1)
            let daemon = try #require(app.daemons.first)
            kill(daemon, SIGSTOP)
            try await first.ask("\(pending.call) \(url)", until: "called \(pending.call) \(pending.will)")
            await first.kill()
            kill(daemon, SIGCONT)
            let second = try app.launch("manager", "status")
            try await second.line("tasks ")
            #expect(second.lines("task ").allSatisfy { !$0.contains(" will") }, "\(second.story)")
            // A call that never reached the daemon leaves the task unchanged. Its origin sends nothing more.
            try await second.ask("suspend \(url)", until: "handled suspend")
            try await second.ask("download \(url)", "reaches \(url) succeeded", until: "reached")
            #expect(try app.digests() == [Self.body.sha256Hex])
        }
    }

    /// A task stored as running has no attempt after both processes die, so the next daemon must start one.
    @Test func `together with the daemon leaves no task that runs in name only`() async throws {
        try await withApp(OriginScript(Self.body, .on(.requests(...3), .hold("never", at: .body(1000))))) { app in
            let first = try app.launch("manager", "many 3 \(app.origin.url("/file"))")
            try await first.line("many 3")
            await app.origin.waitForRequests(3)
            await first.kill()
            try await app.daemon.killDaemon()
            let second = try app.launch("manager", "total-start", "ended", "status")
            try await second.line("tasks 3 succeeded 3")
            #expect(try app.digests() == [String](repeating: Self.body.sha256Hex, count: 3))
        }
    }
}

extension AppFixture {
    var daemons: [pid_t] { daemon.daemons }
}
