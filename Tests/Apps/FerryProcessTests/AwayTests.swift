import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `While the app is away` {
    private static let body = SeededBody(seed: 71, size: 300_000)
    private static let held = OriginScript(body, always: .hold("go", at: .body(1000)))

    /// Starts downloads in a process that dies while the origin holds their bytes, and finishes them without it.
    ///
    /// - Parameter count: Number of downloads.
    private func leave(
        _ app: AppFixture, _ manager: String, _ command: String, until line: String, with count: Int
    ) async throws {
        let process = try app.launch(manager)
        try await process.ask(command, until: line)
        await app.origin.waitForHold("go")
        await process.kill()
        app.origin.release("go")
        try await app.finished(count)
    }

    /// The daemon starts the next task itself, as a queue that needs the app would stop after its first file.
    @Test func `a queue with a limit of one downloads all that waits`() async throws {
        try await withApp(Self.held) { app in
            try await leave(app, "manager limit=1", "many 3 \(app.origin.url("/file"))", until: "many 3", with: 3)
            #expect(try app.digests() == [String](repeating: Self.body.sha256Hex, count: 3))
            #expect(app.origin.requests.map(\.path) == ["/file-0", "/file-1", "/file-2"])
            #expect(app.origin.facts.mostActiveResponses == 1)
        }
    }

    @Test func `twenty downloads with a limit of three end in their order and are all there afterwards`() async throws {
        try await withApp(Self.held) { app in
            try await leave(app, "manager limit=3", "many 20 \(app.origin.url("/file"))", until: "many 20", with: 20)
            let order = app.origin.requests.map(\.path)
            #expect(order.count == 20 && app.origin.facts.mostActiveResponses <= 3)
            for number in 0..<20 {
                // Three run at once, so two that started earlier may reach the server later.
                let place = try #require(order.firstIndex(of: "/file-\(number)"))
                let earlier = Set((0..<number).map { "/file-\($0)" })
                #expect(earlier.subtracting(order[..<place]).count < 3, "\(order)")
            }
            let second = try app.launch("manager limit=3")
            try await second.ask("status", until: "tasks 20 succeeded 20")
            #expect(
                second.lines("task ").map { $0.split(separator: " ")[1...2].joined(separator: " ") }
                    == (0..<20).map { "/file-\($0) succeeded" })
            #expect(try app.digests() == [String](repeating: Self.body.sha256Hex, count: 20))
            #expect(app.partialFiles.isEmpty)
            #expect(app.origin.requests.count == 20, "the second process fetches nothing")
        }
    }

    /// A missed end leaves an app waiting, and a second one makes it import or announce the same file twice.
    @Test func `the end of a task is reported once by notification and once to a closure`() async throws {
        try await withApp(Self.held) { app in
            let first = try app.launch("manager")
            try await first.ask("many 2 \(app.origin.url("/file"))", until: "many 2")
            await app.origin.waitForRequests(2)
            await first.kill()
            app.origin.release("go")
            try await app.finished(2)
            let second = try app.launch("notifications", "manager", "observe")
            try await second.line("manager-success")
            try await second.line("notified", count: 2)
            // The later request finishes later, so any second delivery would come before it.
            try await second.ask(
                "download \(app.origin.url("/last"))", "reaches \(app.origin.url("/last")) succeeded", until: "reached")
            try await second.line("notified /last")
            #expect(
                Set(second.lines("notified")) == [
                    "notified /file-0 succeeded", "notified /file-1 succeeded", "notified /last succeeded",
                ])
            #expect(second.lines("notified").count == 3)
            #expect(second.lines("success").sorted() == ["success /file-0", "success /file-1"])
            try await app.allIsAcknowledged()
            await second.kill()
            let third = try app.launch("notifications", "manager", "status")
            try await third.line("tasks 3")
            try await third.ask("download \(app.origin.url("/more"))", until: "notified /more")
            #expect(third.lines("notified").count == 1, "what was told is not told to the next process: \(third.story)")
        }
    }

    /// docs/behaviour/session-manager.md#D4
    @Test func `a file that a Swift task waits for comes though its process has died`() async throws {
        try await withApp(Self.held) { app in
            try await leave(app, "manager", "fetch \(app.origin.url("/file"))", until: "fetching", with: 1)
            #expect(try app.digests() == [Self.body.sha256Hex])
            let second = try app.launch("manager", "status")
            try await second.line("tasks 1 succeeded 1")
            #expect(app.origin.requests.count == 1)
        }
    }

    /// Downloads that end before the app makes its manager must still be reported to it.
    @Test func `the first manager may be made long after the start`() async throws {
        try await withApp(Self.held) { app in
            let first = try app.launch("manager")
            try await first.ask("many 3 \(app.origin.url("/file"))", until: "many 3")
            await app.origin.waitForRequests(3)
            await first.kill()
            let second = try app.launch("notifications")
            app.origin.release("go")
            try await app.finished(3)
            #expect(second.lines("notified").isEmpty)
            try await second.ask("manager", until: "manager 3")
            try await second.line("notified", count: 3)
            try await second.ask("observe", until: "manager-success")
            try await second.line("success", count: 3)
        }
    }

    /// A task is identified by its original URL, as the URL after a redirect may be that of another task too.
    @Test func `two tasks redirected to one target stay two`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/one"), .redirect(to: "/target")), .on(.path("/two"), .redirect(to: "/target")),
            .on(.path("/target"), .hold("go", at: .body(1000))))
        try await withApp(script) { app in
            let (one, two) = (app.origin.url("/one"), app.origin.url("/two"))
            let first = try app.launch("manager", "download \(one) one.bin", "download \(two) two.bin")
            try await first.line("downloaded", count: 2)
            await app.origin.wait { $0.requests.count { $0.path == "/target" } == 2 }
            await first.kill()
            try await app.daemon.killDaemon()
            let second = try app.launch("manager", "status")
            try await second.line("tasks 2")
            app.origin.release("go")
            try await second.ask(
                "reaches \(one) succeeded", "reaches \(two) succeeded", "status", until: "tasks 2 succeeded 2")
            let told = second.lines("task ").suffix(2).map { $0.split(separator: " ") }
            #expect(told.map { $0[1] } == ["/one", "/two"] && told.map { $0[4] } == ["one.bin", "two.bin"])
            #expect(app.files == ["one.bin", "two.bin"])
            #expect(try app.digests() == [Self.body.sha256Hex, Self.body.sha256Hex])
        }
    }

    /// A relaunch must not turn a POST into a GET without a body, nor move a file to the default folder.
    @Test func `the place, the method and the body of a task survive`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .head)))
        try await withApp(script) { app in
            let file = app.daemon.file("new/folder/report.bin")
            let first = try app.launch("manager")
            try await first.ask(
                "enqueue \(app.origin.url("/form")) file=\(file) method=POST body=a-form", until: "enqueued /form")
            await app.origin.waitForRequests(1)
            await first.kill()
            try await app.daemon.killDaemon()
            let second = try app.launch("manager cache=file://\(app.cache)", "status")
            try await second.line("tasks 1")
            // The server may have processed the form, so only the user sends it again.
            try await second.ask("ended", "status", until: "tasks 1 failed 0")
            #expect(app.origin.requests.count == 1)
            let form = app.origin.url("/form")
            try await second.ask("start \(form)", "reaches \(form) succeeded", "status", until: "tasks 1 succeeded 1")
            #expect(try FileDigest.sha256(file) == Self.body.sha256Hex)
            let request = try #require(app.origin.requests.last)
            #expect(request.method == "POST" && request.body == Array("a-form".utf8))
            try await second.ask("download \(app.origin.url("/plain")) plain.bin", "ended", until: "ended succeeded")
            #expect(app.files == ["plain.bin"], "a folder may be given as a file URL")
            #expect(!FileManager.default.fileExists(atPath: app.daemon.file("file:")))
        }
    }

    /// A relaunched app needs the total progress of a group and the metadata that tells it the purpose of each task.
    @Test func `groups and what was stored with a task survive`() async throws {
        let script = OriginScript(
            Self.body, .always(.hold("go", at: .body(1000))),
            .on(.path("/small"), .version(SeededBody(seed: 2, size: 50_000))))
        try await withApp(script) { app in
            let (small, large, other) = (app.origin.url("/small"), app.origin.url("/large"), app.origin.url("/other"))
            let first = try app.launch(
                "manager", "enqueue \(small) tag=book metadata=chapter-1",
                "enqueue \(large) tag=book metadata=chapter-2",
                "enqueue \(other) tag=film")
            try await first.line("enqueued", count: 3)
            await app.origin.waitForRequests(3)
            await first.kill()
            let second = try app.launch("manager", "bytes \(small) 1000", "bytes \(large) 1000", "tagged book")
            try await second.line("tagged book 2 2000 350000")
            try await second.ask("metadata \(large)", until: "metadata \(large) chapter-2")
            app.origin.release("go")
            try await second.ask("ended", "tagged book", "tagged film", until: "tagged film 1 300000 300000")
            try await second.line("tagged book 2 350000 350000")
        }
    }

    /// A relaunched app repeats its call, which must adopt the transfer and its file rather than download them again.
    @Test(arguments: [true, false])
    func `a released manager's transfer continues and is adopted by the same code`(isKilledEarly: Bool) async throws {
        try await withApp(Self.held) { app in
            let file = app.daemon.file("documents/a.bin")
            let step = "local-chain \(app.origin.url("/a")) \(file)"
            let first = try app.launch(step)
            try await first.line("chained")
            await app.origin.waitForHold("go")
            #expect(app.origin.facts.activeResponses == 1)
            await first.kill()
            if isKilledEarly {
                let second = try app.launch(step)
                try await second.line("chained")
                app.origin.release("go")
                try await second.line("response \(file) no-error")
            } else {
                app.origin.release("go")
                try await app.finished(1)
                let second = try app.launch(step)
                try await second.line("response \(file) no-error")
            }
            #expect(app.origin.requests.count == 1)
            #expect(try FileDigest.sha256(file) == Self.body.sha256Hex)
            try await eventually("the record goes after placement") { try await app.transfers().isEmpty }
        }
    }

    /// A manager in a local variable is released when its function returns, and its download must still complete.
    @Test func `a released manager cancels nothing`() async throws {
        try await withApp(Self.held) { app in
            let file = app.daemon.file("documents/a.bin")
            let process = try app.launch("local-chain \(app.origin.url("/a")) \(file)", "manager", "release", "manager")
            try await process.line("manager", count: 2)
            await app.origin.waitForHold("go")
            app.origin.release("go")
            try await process.line("response \(file) no-error")
            #expect(try FileDigest.sha256(file) == Self.body.sha256Hex)
        }
    }
}
