import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `An app that ends while it downloads` {
    static let mebibyte: Int64 = 1 << 20

    @Test func `45, 54 to 57 is started again once all is done, gets its events once and in order, and ends`()
        async throws
    {
        let body = SeededBody(seed: 41, size: 48 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .hold("third", at: .body(16 * Self.mebibyte)))) { app in
            let first = try app.launch("run", "register=run", "download=\(app.origin.url())", "bytes=1 1000000")
            await app.origin.waitForHold("third")
            try await app.line("resumed-call 1")
            await app.kill(first)
            app.origin.release("third")
            try await app.line("handler-called")
            #expect(
                Array(app.story.suffix(6)) == [
                    "launched background", "handle-events \(AppFixture.session)", "finished 1", "completed 1 nil ",
                    "events-finished \(AppFixture.session)", "handler-called main",
                ], "\(app.story)")
            #expect(try app.sha256(1) == body.sha256Hex)
            #expect(app.origin.requests.count == 1)
            try await eventually("the launched process ends") { app.processes().isEmpty }
            #expect(try await app.states() == [])
        }
    }

    @Test func `46 gets the same when the daemon is killed too`() async throws {
        let body = SeededBody(seed: 42, size: 48 * Self.mebibyte)
        try await withApp(OriginScript(body, .on(.request(1), .hold("third", at: .body(16 * Self.mebibyte))))) { app in
            let first = try app.launch("run", "register=run", "download=\(app.origin.url())")
            await app.origin.waitForHold("third")
            try await app.line("resumed-call 1")
            await app.kill(first)
            try await app.daemon.killDaemon()
            app.origin.release("third")
            try await app.daemon.startDaemon()
            try await app.line("handler-called")
            #expect(app.lines("finished") == ["finished 1"])
            #expect(app.lines("completed") == ["completed 1 nil "])
            #expect(app.lines("events-finished").count == 1)
            #expect(try app.sha256(1) == body.sha256Hex)
        }
    }

    @Test func `40, 49 gets its events after it was stopped until all was done`() async throws {
        let body = SeededBody(seed: 43, size: 8 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .hold("middle", at: .body(4 * Self.mebibyte)))) { app in
            let process = try app.launch("run", "register=run", "download=\(app.origin.url())")
            await app.origin.waitForHold("middle")
            try await app.line("resumed-call 1")
            process.send(SIGSTOP)
            app.origin.release("middle")
            try await eventually("the daemon has finished") { try await app.states() == ["succeeded"] }
            #expect(app.lines("launched").count == 1)
            process.send(SIGCONT)
            try await app.line("completed 1 nil")
            #expect(app.lines("finished") == ["finished 1"])
            #expect(app.lines("launched") == ["launched active"], "an attached app is not launched")
            #expect(try app.sha256(1) == body.sha256Hex)
            #expect(process.isRunning)
        }
    }

    @Test func `47 lives through a restart of the daemon`() async throws {
        let body = SeededBody(seed: 44, size: 16 * Self.mebibyte)
        try await withApp(OriginScript(body, .on(.request(1), .hold("middle", at: .body(8 * Self.mebibyte))))) { app in
            let process = try app.launch(
                "download=\(app.origin.url())", "completions=1", "download=\(app.origin.url())")
            await app.origin.waitForHold("middle")
            try await app.line("resumed-call 1")
            try await app.daemon.killDaemon()
            app.origin.release("middle")
            try await app.line("completed", count: 2)
            #expect(app.lines("completed") == ["completed 1 nil ", "completed 2 nil "])
            #expect(try app.sha256(1) == body.sha256Hex)
            #expect(try app.sha256(2) == body.sha256Hex)
            #expect(process.isRunning)
        }
    }

    @Test func `4, 48, 52 has its tasks again, suspended ones and those that were never resumed too`() async throws {
        let body = SeededBody(seed: 45, size: 8 * Self.mebibyte)
        try await withApp(OriginScript(body, .on(.request(1), .hold("middle", at: .body(4 * Self.mebibyte))))) { app in
            let first = try app.launch(
                "create=\(app.origin.url("/never"))", "download=\(app.origin.url("/half"))", "bytes=2 1000000",
                "suspend=2",
                "tasks")
            try await app.line("tasks 2")
            await app.kill(first)
            try await app.daemon.killDaemon()
            try await app.daemon.startDaemon()
            #expect(try await app.states() == ["suspended", "suspended"])
            let second = try app.launch("tasks", "resume=2", "completions=1", "resume=1", "completions=2", "tasks")
            app.origin.release("middle")
            try await app.line("tasks 0")
            let told = app.lines("task ")
            #expect(told.contains { $0.hasPrefix("task 1 suspended 0 \(app.origin.url("/never"))") }, "\(told)")
            #expect(
                told.contains { $0.hasSuffix("\(app.origin.url("/half")) download of \(app.origin.url("/half"))") },
                "\(told)")
            #expect(app.lines("completed") == ["completed 2 nil ", "completed 1 nil "])
            #expect(app.origin.requests.filter { $0.path == "/never" }.count == 1)
            #expect(try app.sha256(2) == body.sha256Hex)
            await app.kill(second)
        }
    }

    @Test func `60 loses its transfers when its user quits it, and goes on from the resume data`() async throws {
        let body = SeededBody(seed: 46, size: 16 * Self.mebibyte)
        try await withApp(OriginScript(body, .on(.request(1), .hold("middle", at: .body(8 * Self.mebibyte))))) { app in
            let first = try app.launch("run", "register=run", "download=\(app.origin.url())", "bytes=1 1000000")
            await app.origin.waitForHold("middle")
            try await app.line("resumed-call 1")
            try await eventually("bytes are on disk") { try await app.received() >= 4 * Self.mebibyte }
            first.send(SIGINT)
            #expect(await first.result().status == 128 + SIGINT)
            #expect(app.lines("will-terminate").count == 1)
            app.origin.release("middle")
            #expect(try await app.states() == ["canceled"])
            let second = try app.launch("run", "session", "completions=1", "continue=\(app.output)/1.resume")
            try await app.line("completed 2 nil")
            #expect(app.lines("launched") == ["launched active", "launched active"], "nothing was launched")
            #expect(app.lines("completed 1") == ["completed 1 -999 reason=0 data"])
            let offset = try #require(app.lines("resumed-at 2").first?.split(separator: " ")[2])
            #expect(try #require(Int64(offset)) > 0)
            #expect(app.origin.requests.last?.value("Range") == "bytes=\(offset)-")
            #expect(app.origin.requests.last?.value("If-Range") != nil)
            #expect(try app.sha256(2) == body.sha256Hex)
            await app.kill(second)
        }
    }

    @Test func `60 is notified at its next start of all tasks that its user's signal ended`() async throws {
        let body = SeededBody(seed: 52, size: 4 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))) { app in
            let first = try app.launch(
                "run", "create=\(app.origin.url("/never"))", "download=\(app.origin.url("/a"))",
                "download=\(app.origin.url("/b"))", "download=\(app.origin.url("/c"))")
            await app.origin.waitForRequests(3)
            try await app.line("resumed-call 4")
            first.send(SIGTERM)
            #expect(await first.result().status == 128 + SIGTERM)
            app.origin.release("middle")
            #expect(app.lines("completed").isEmpty, "the process that ends is told nothing: \(app.story)")
            let second = try app.launch("session", "tasks", "completions=4", "tasks")
            try await app.line("tasks 0")
            // The list shows them as completed, whether or not the delegate has received their completions.
            #expect(app.lines("task ").allSatisfy { $0.split(separator: " ")[2] == "completed" }, "\(app.story)")
            #expect(
                Set(app.lines("completed").map { $0.split(separator: " ").prefix(4).joined(separator: " ") })
                    == Set((1...4).map { "completed \($0) -999 reason=0" }))
            #expect(app.lines("completed").count == 4)
            await app.kill(second)
        }
    }

    @Test func `56 is notified of the end of its events without an app delegate too`() async throws {
        let body = SeededBody(seed: 53, size: 4 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))) { app in
            let first = try app.launch(
                "register=session,completed=1,events-finished,exit", "download=\(app.origin.url())")
            await app.origin.waitForHold("middle")
            try await app.line("resumed-call 1")
            await app.kill(first)
            app.origin.release("middle")
            try await app.line("events-finished")
            try await eventually("the launched process ends") { app.processes().isEmpty }
            #expect(
                Array(app.story.suffix(3))
                    == ["finished 1", "completed 1 nil ", "events-finished \(AppFixture.session)"], "\(app.story)")
            #expect(try app.sha256(1) == body.sha256Hex)
        }
    }

    @Test
    func `3 does not wait on its thread for a launched process that has the session, and downloads once it has it`()
        async throws
    {
        let body = SeededBody(seed: 54, size: 4 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))) { app in
            // The launched process never calls its completion handler, so it keeps running and keeps the session.
            let first = try app.launch("run", "register=run,no-handler", "download=\(app.origin.url("/a"))")
            await app.origin.waitForHold("middle")
            try await app.line("resumed-call 1")
            await app.kill(first)
            app.origin.release("middle")
            try await app.line("completed 1 nil")
            let second = try app.launch("download=\(app.origin.url("/b"))", "completions=1")
            // Task number 1002 shows that the call did not wait for the other process to release the session.
            try await app.line("resumed-call 1002")
            try await app.line("completed 1002 nil")
            #expect(try app.sha256(1002) == body.sha256Hex)
            await app.kill(second)
        }
    }

    @Test func `60 is quit by ferry quit too`() async throws {
        let body = SeededBody(seed: 47, size: 16 * Self.mebibyte)
        try await withApp(OriginScript(body, .on(.request(1), .hold("middle", at: .body(8 * Self.mebibyte))))) { app in
            let process = try app.launch("run", "download=\(app.origin.url())", "create=\(app.origin.url())")
            await app.origin.waitForHold("middle")
            try await app.line("created 2")
            let quit = try await app.daemon.run(["quit", AppFixture.session])
            #expect(quit.status == 0, "\(quit)")
            try await app.line("completed", count: 2)
            #expect(
                Set(app.lines("completed").map { $0.split(separator: " ").prefix(4).joined(separator: " ") })
                    == ["completed 1 -999 reason=0", "completed 2 -999 reason=0"])
            app.origin.release("middle")
            await app.kill(process)
        }
    }

    @Test func `50 gets a finished file again if it died before it had taken it`() async throws {
        let body = SeededBody(seed: 48, size: Self.mebibyte)
        try await withApp(OriginScript(body)) { app in
            let first = try app.launch("download=\(app.origin.url())", environment: ["OUTPUT": "/nowhere/at/all"])
            try await app.line("resumed-call 1")
            await app.kill(first)
            try await eventually("the daemon has finished") {
                try await app.states().allSatisfy { $0 == "succeeded" }
            }
            let second = try app.launch("session", "completions=1")
            try await eventually("the end is told") { !app.lines("completed 1 nil").isEmpty }
            await app.kill(second)
        }
    }

    /// A regression: the acknowledgement came after the delegate's last call, which never returned. The next process
    /// received the completion again, without the file.
    @Test func `50 is notified once of a completion in which it exits`() async throws {
        let body = SeededBody(seed: 54, size: 1000)
        try await withApp(OriginScript(body)) { app in
            let first = try app.launch("exit-in-completion", "download=\(app.origin.url())")
            #expect(await first.result().status == 0)
            #expect(app.lines("completed") == ["completed 1 nil "])
            #expect(try app.sha256(1) == body.sha256Hex)
            #expect(try await app.states() == [])
            let second = try app.launch("tasks")
            try await app.line("tasks")
            #expect(app.lines("completed").count == 1)
            await app.kill(second)
        }
    }

    @Test func `3 has its session in one process at a time`() async throws {
        try await withApp(OriginScript(SeededBody(seed: 49, size: 1000))) { app in
            let first = try app.launch("create=\(app.origin.url())", "tasks")
            try await app.line("tasks 1")
            let second = try app.launch("download=\(app.origin.url())")
            try await app.line("completed 1 -996")
            await app.kill(second)
            await app.kill(first)
            let third = try app.launch("download=\(app.origin.url())")
            try await app.line("completed 2 nil")
            await app.kill(third)
        }
    }

    @Test func `43, 63 ten pauses in ten processes fetch at most a tenth twice`() async throws {
        let body = SeededBody(seed: 50, size: 48 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .throttle(bytesPerSecond: Int(32 * Self.mebibyte)))) { app in
            var step = "download=\(app.origin.url())"
            for pause in 1...10 {
                let process = try app.launch(
                    step, "bytes=\(pause) \(Int64(pause) * 4 * Self.mebibyte)",
                    "cancel-data=\(pause) \(app.output)/data",
                    "completed=\(pause)", "exit")
                #expect(await process.result().status == 0)
                #expect(app.lines("resume-data \(pause)") == ["resume-data \(pause) some"])
                step = "continue=\(app.output)/data"
            }
            app.origin.script = OriginScript(body)
            let last = try app.launch(step, "completed=11", "exit")
            #expect(await last.result().status == 0)
            #expect(app.lines("completed 11") == ["completed 11 nil "], "\(app.story)")
            #expect(try app.sha256(11) == body.sha256Hex)
            #expect(app.origin.bytesSent <= body.size + body.size / 10, "\(app.origin.bytesSent)")
        }
    }

    @Test func `30 a data task ends with its process, and the next attach reports it`() async throws {
        let body = SeededBody(seed: 51, size: 8 * Self.mebibyte)
        try await withApp(OriginScript(body, always: .hold("middle", at: .body(4 * Self.mebibyte)))) { app in
            let first = try app.launch("data=\(app.origin.url())")
            await app.origin.waitForHold("middle")
            await app.kill(first)
            let second = try app.launch("session", "completions=1", "tasks")
            try await app.line("completed 1 -997")
            try await app.line("tasks 0")
            app.origin.release("middle")
            await app.kill(second)
        }
    }
}
