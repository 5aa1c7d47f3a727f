import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: ExamplePrograms.folder != nil))
struct `The examples` {
    static let mebibyte: Int64 = 1 << 20

    @Test func `S1 pauses and resumes ten times`() async throws {
        let body = SeededBody(seed: 61, size: 48 * Self.mebibyte)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: Int(8 * Self.mebibyte)))
        try await withExample(script) { daemon, origin in
            let app = try daemon.example("PauseAndResume", origin.url(), "10")
            let result = await app.result()
            #expect(result.status == 0, "\(result)")
            #expect(try FileDigest.sha256(daemon.file("download.bin")) == body.sha256Hex)
            #expect(result.stdout.split(separator: "\n").filter { $0 == "paused: -999" }.count == 10, "\(result)")
            #expect(origin.requests.dropFirst().allSatisfy { $0.value("Range") != nil && $0.value("If-Range") != nil })
            #expect(origin.requests.count >= 2)
        }
    }

    @Test func `S1 waits for external power, says so, and runs once it is there`() async throws {
        let body = SeededBody(seed: 62, size: Self.mebibyte)
        try await withExample(OriginScript(body)) { daemon, origin in
            let conditions = daemon.file("conditions.json")
            try Data(#"{"externalPower": false}"#.utf8).write(to: URL(filePath: conditions))
            try await daemon.startDaemon(["FERRY_CONDITIONS_FILE": conditions])
            let app = try daemon.example("PauseAndResume", origin.url(), "0")
            try await eventually("the task waits for power") {
                try await daemon.transfers().first.map { $0.state == "waiting" && $0.reason == "power" } ?? false
            }
            #expect(origin.requests.isEmpty)
            try Data(#"{"externalPower": true}"#.utf8).write(to: URL(filePath: conditions))
            #expect(await app.result().status == 0)
            #expect(try FileDigest.sha256(daemon.file("download.bin")) == body.sha256Hex)
        }
    }

    @Test func `S2 is launched once after its last download, and ends`() async throws {
        let body = SeededBody(seed: 63, size: Self.mebibyte)
        try await withExample(OriginScript(body, always: .hold("all", at: .body(500_000)))) { daemon, origin in
            let app = try daemon.example("AppDelegate", origin.url("/a"), origin.url("/b"), origin.url("/c"))
            await origin.waitForRequests(3)
            // Its downloads may finish before its first output.
            try await eventually("the app has spoken") { daemon.outputLines("launched").count == 1 }
            app.send(SIGKILL)
            _ = await app.result()
            origin.release("all")
            try await eventually("the handler is called: \(daemon.output)\(daemon.log)") {
                daemon.output.contains("completion handler called")
            }
            #expect(daemon.outputLines("launched") == ["launched by its user", "launched in the background"])
            #expect(daemon.outputLines("download finished").count == 3)
            #expect(daemon.outputLines("completion handler called").count == 1)
            for name in ["a", "b", "c"] { #expect(try FileDigest.sha256(daemon.file(name)) == body.sha256Hex) }
        }
    }

    @Test func `S2 is not launched after SIGTERM`() async throws {
        let body = SeededBody(seed: 64, size: 4 * Self.mebibyte)
        try await withExample(OriginScript(body, always: .hold("all", at: .body(2 * Self.mebibyte)))) {
            daemon, origin in
            let app = try daemon.example("AppDelegate", origin.url("/a"))
            await origin.waitForHold("all")
            app.send(SIGTERM)
            #expect(await app.result().status == 128 + SIGTERM)
            origin.release("all")
            try await eventually("the transfer has ended") {
                try await daemon.transfers().allSatisfy { $0.state == "canceled" }
            }
            #expect(daemon.outputLines("launched").count == 1)
        }
    }

    @Test func `S3 appends from where the file ends`() async throws {
        let body = SeededBody(seed: 65, size: 4 * Self.mebibyte)
        try await withExample(OriginScript(body, .on(.request(1), .cut(after: 1_500_000)))) { daemon, origin in
            let file = daemon.file("appended.bin")
            let broken = await (try daemon.example("StreamedDownload", origin.url(), file)).result()
            #expect(broken.status == 1, "\(broken)")
            let size = try #require(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
            #expect(size > 0)
            let whole = await (try daemon.example("StreamedDownload", origin.url(), file)).result()
            #expect(whole.status == 0, "\(whole)")
            #expect(origin.requests.last?.value("Range") == "bytes=\(size)-")
            #expect(origin.requests.last?.value("Cache-Control") == "no-cache")
            #expect(try FileDigest.sha256(file) == body.sha256Hex)
        }
    }

    @Test func `S4 finishes in the daemon while its process is stopped`() async throws {
        let body = SeededBody(seed: 66, size: 4 * Self.mebibyte)
        try await withExample(OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))) {
            daemon, origin in
            let app = try daemon.example("SessionOwner", "background", origin.url("/s4.bin"))
            await origin.waitForHold("middle")
            app.send(SIGSTOP)
            origin.release("middle")
            try await eventually("the daemon has finished") {
                try await daemon.transfers().map(\.state) == ["succeeded"]
            }
            app.send(SIGCONT)
            try await eventually("it is told: \(app.stdout)") { app.stdout.contains("completed nil") }
            #expect(app.stdout.contains("1.0\n"))
            #expect(try FileDigest.sha256(daemon.file("Documents/s4.bin")) == body.sha256Hex)
        }
    }

    @Test func `S4 downloads in its own process with a default configuration`() async throws {
        let body = SeededBody(seed: 67, size: 4 * Self.mebibyte)
        try await withExample(OriginScript(body)) { daemon, origin in
            let app = try daemon.example("SessionOwner", "default", origin.url("/s4.bin"))
            try await eventually("it is done: \(app.stdout)") { app.stdout.contains("completed nil") }
            #expect(try FileDigest.sha256(daemon.file("Documents/s4.bin")) == body.sha256Hex)
            #expect(daemon.daemons.isEmpty, "no daemon is needed")
        }
    }

    @Test func `S4 cancels a download that its owner releases`() async throws {
        let body = SeededBody(seed: 68, size: 4 * Self.mebibyte)
        try await withExample(OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))) {
            daemon, origin in
            let app = try daemon.example("SessionOwner", "forget", origin.url("/s4.bin"))
            try await eventually("it is canceled: \(app.stdout)") { app.stdout.contains("Code=-999") }
            origin.release("middle")
        }
    }

    @Test func `the app that is killed is started again and has its file`() async throws {
        let body = SeededBody(seed: 69, size: 4 * Self.mebibyte)
        try await withExample(OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))) {
            daemon, origin in
            let app = try daemon.example("Relaunched", origin.url("/large.bin"), daemon.file("Downloads"))
            await origin.waitForHold("middle")
            app.send(SIGKILL)
            _ = await app.result()
            origin.release("middle")
            let log = daemon.file("Downloads/downloads.log")
            try await eventually("the app says that all is there\n\(daemon.log)") {
                String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
                    .contains("Everything is there.")
            }
            #expect(try FileDigest.sha256(daemon.file("Downloads/large.bin")) == body.sha256Hex)
        }
    }

    @Test func `an upload goes on after its program was killed`() async throws {
        let body = SeededBody(seed: 70, size: 6 * Self.mebibyte)
        let server = try await UploadServer.start()
        try await withExample(OriginScript(body)) { daemon, _ in
            let file = daemon.file("photo.jpg")
            try Data(body.bytes).write(to: URL(fileURLWithPath: file))
            _ = try await daemon.run(["limit", "2M"])
            let app = try daemon.example("UploadInBackground", file, server.url("/photo.jpg"))
            try await server.wait(forBytes: Int64(Self.mebibyte))
            app.send(SIGKILL)
            _ = await app.result()
            try await daemon.killDaemon()
            _ = try await daemon.run(["daemon", "start"])
            try await eventually("the upload is there\n\(daemon.log)") { server.completed["/photo.jpg"] != nil }
            #expect(server.digests["/photo.jpg"] == body.sha256Hex)
            #expect(server.bytesReceived == body.size)
            let result = try await daemon.example("UploadInBackground").result()
            #expect(result.stdout.contains("The server says: stored"), "\(result)")
            #expect(result.stdout.contains("photo.jpg is uploaded."), "\(result)")
        }
        await server.stop()
    }
}
