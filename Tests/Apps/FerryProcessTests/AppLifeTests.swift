import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `The life of an app` {
    private static let body = SeededBody(seed: 73, size: 4 << 20)
    private static let half: Int64 = 2 << 20
    private static let held = OriginScript(body, .on(.pathRequests(...1), .hold("half", at: .body(half))))

    @Test(arguments: [SIGINT, SIGTERM])
    func `ended by its user's signal leaves all tasks suspended with their bytes`(signal: Int32) async throws {
        try await withApp(Self.held) { app in
            let url = app.origin.url("/file")
            let first = try app.launch(
                "run", "register run ; manager", "notifications", "manager limit=2", "many 3 \(url)",
                "bytes \(url)-0 \(Self.half)",
                "bytes \(url)-1 \(Self.half)")
            try await first.line("bytes", count: 2)
            first.signal(signal)
            #expect(await first.end() == 128 + signal)
            #expect(first.lines("will-terminate").count == 1)
            app.origin.release("half")
            let stored = try await app.transfers()
            #expect(stored.allSatisfy { $0.state == "suspended" } && stored.count == 3, "\(stored)")
            #expect(stored.map(\.bytes_received).sorted() == [0, Self.half, Self.half])
            #expect(app.processes().isEmpty, "nobody is started for what its user has ended")
            let second = try app.launch("run", "notifications", "manager limit=2", "status")
            try await second.line("tasks 3 suspended 0")
            // Events that the first process acknowledged before its end are not delivered again.
            let all = Set((0..<3).map { "notified /file-\($0) suspended" })
            try await eventually("all are told") { all == Set(first.lines("notified") + second.lines("notified")) }
            // Read once, because more may arrive.
            let told = second.lines("notified")
            #expect(told.count == Set(told).count)
            try await second.ask("total-start", "ended", until: "ended succeeded")
            #expect(try app.digests() == [String](repeating: Self.body.sha256Hex, count: 3))
            let again = app.origin.requests.suffix(3)
            #expect(again.compactMap { $0.value("Range") } == ["bytes=\(Self.half)-", "bytes=\(Self.half)-"])
            #expect(await app.origin.allBytesSent == 3 * Self.body.size)
        }
    }

    @Test func `ended by ferry quit has its tasks suspended too`() async throws {
        try await withApp(Self.held) { app in
            let url = app.origin.url("/file")
            let process = try app.launch("run", "manager", "download \(url)", "observe", "bytes \(url) \(Self.half)")
            try await process.line("bytes")
            let quit = try await app.daemon.run(["quit", AppFixture.identifier])
            #expect(quit.status == 0, "\(quit)")
            try await process.line("failure /file suspended")
            app.origin.release("half")
            try await process.ask("start \(url)", "reaches \(url) succeeded", until: "reached /file")
            #expect(app.origin.requests.last?.value("Range") == "bytes=\(Self.half)-")
            #expect(try app.digests() == [Self.body.sha256Hex])
        }
    }

    @Test func `that is not running is started once all tasks have ended`() async throws {
        try await withApp(Self.held) { app in
            let url = app.origin.url("/file")
            let first = try app.launch(
                "run", "register run ; notifications ; manager ; observe", "manager", "many 3 \(url)", isTold: true)
            try await app.line("many 3")
            await app.origin.waitForRequests(3)
            await first.kill()
            app.origin.release("half")
            try await app.line("handler-called main")
            try await eventually("the launched process ends: \(app.story)") { app.processes().isEmpty }
            let told = Array(app.story.drop { $0 != "launched background" })
            #expect(told.filter { $0.hasPrefix("launched") } == ["launched background"])
            #expect(told.filter { $0.hasPrefix("handle-events") } == ["handle-events \(AppFixture.identifier)"])
            #expect(told.filter { $0.hasPrefix("notified") }.count == 3, "\(told)")
            #expect(told.filter { $0.hasPrefix("handler-called") } == ["handler-called main"])
            let before = told.prefix { $0 != "handler-called main" }
            #expect(before.count { $0.hasPrefix("notified") } == 3, "the events come before the handler: \(told)")
            #expect(try app.digests() == [String](repeating: Self.body.sha256Hex, count: 3))
            #expect(app.origin.requests.count == 3)
        }
    }

    @Test func `that runs is not started again, and its handler is called once`() async throws {
        try await withApp(Self.held) { app in
            let url = app.origin.url("/file")
            let process = try app.launch(
                "run", "register run ; manager", "manager", "observe", "download \(url)", isTold: true)
            try await app.line("downloaded")
            await app.origin.waitForHold("half")
            app.origin.release("half")
            try await app.line("manager-success")
            #expect(app.story.filter { $0.hasPrefix("launched") } == ["launched active"])
            #expect(process.isRunning && app.processes().count == 1)
        }
    }

    @Test func `in two processes has its manager in one of them`() async throws {
        try await withApp(Self.held) { app in
            let first = try app.launch("manager", "download \(app.origin.url("/first"))")
            try await first.line("downloaded /first")
            let second = try app.launch("manager", "download \(app.origin.url("/second"))")
            #expect(try await second.line("downloaded").contains("Another process"))
            #expect(try await app.transfers().count == 1)
            let url = app.origin.url("/first")
            for call in ["start \(url)", "suspend \(url)", "cancel \(url)", "remove \(url)"] {
                let answer = try await second.ask(call, until: "handled")
                #expect(answer.contains("Another process"), "\(call): \(answer)")
            }
            try await second.ask("enqueue \(url)", until: "failed enqueue")
            #expect(second.lines("failed enqueue").allSatisfy { $0.contains("Another process") })
            #expect(try await second.ask("total-suspend", until: "handled total-suspend").contains("waiting"))
            #expect(try await app.transfers().map(\.state) == ["running"])
            let other = try app.launch("manager", "download \(app.origin.url("/other"))", identifier: "other")
            #expect(try await !other.line("downloaded").contains("Another process"))
            await first.kill()
            let freed = try await second.ask("suspend \(url)", until: "handled suspend")
            #expect(freed.contains("handled suspend /first suspended ") && freed.contains("-999"), "\(freed)")
            try await second.ask("start \(url)", until: "handled start")
            app.origin.release("half")
            try await second.ask("download \(app.origin.url("/third"))", until: "downloaded /third")
            #expect(!second.lines("downloaded")[1].contains("Another process"), "\(second.story)")
            try await second.ask("ended", "status", until: "tasks 2 succeeded 2")
        }
    }
}
