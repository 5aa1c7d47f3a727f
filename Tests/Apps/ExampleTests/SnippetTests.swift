import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: ExamplePrograms.folder != nil))
struct `Snippets of download managers` {
    static let body = SeededBody(seed: 71, size: 1 << 20)
    static let held = OriginScript(body, always: .hold("middle", at: .body(500_000)))

    // MARK: A manager and its tasks

    @Test func `one and nine downloads are tasks, and nine files`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.snippet("a1", origin)
            try await app.prints("true 9")
            try await eventually("all files are there") { try daemon.stored("dmg", "bin").count == 10 }
            for path in try daemon.stored("dmg", "bin") { #expect(try FileDigest.sha256(path) == Self.body.sha256Hex) }
        }
    }

    @Test(arguments: [("a2", "下载完成", "下载失败"), ("a3", "下载成功", "其他状态")])
    func `a download ends in success`(function: String, said: String, unsaid: String) async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.snippet(function, origin)
            try await app.prints(said)
            #expect(!app.stdout.contains(unsaid))
            #expect(app.stdout.contains("下载中, 进度:"))
            #expect(try daemon.stored("dmg").map { try FileDigest.sha256($0) } == [Self.body.sha256Hex])
        }
    }

    @Test func `a download of something that is not there fails`() async throws {
        try await withExample(OriginScript(always: .status(404))) { daemon, origin in
            let app = try daemon.snippet("a2", origin)
            try await app.prints("下载失败")
            #expect(!app.stdout.contains("下载完成"))
            #expect(try daemon.stored("dmg").isEmpty)
        }
    }

    @Test func `calls for tasks that are not there change nothing, and all are removed at last`() async throws {
        try await withExample(Self.held) { daemon, origin in
            let app = try daemon.snippet("a4", origin)
            try await eventually("nine tasks are gone: \(app.stdout)") {
                app.lines(containing: "[DownloadTask] canceled").count
                    + app.lines(containing: "[DownloadTask] removed").count >= 9
            }
            try await eventually("nothing is left") { try await daemon.transfers().isEmpty }
            #expect(try daemon.stored("dmg", "bin", "part").isEmpty)
        }
    }

    @Test func `handlers are called where there is nothing to do`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.snippet("a5", origin)
            try await eventually("both are called: \(app.stdout)") { app.lines(equal: "reload").count == 2 }
        }
    }

    @Test func `a file that is another one than expected is found out`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.snippet("a6", origin)
            try await app.prints("文件错误")
            try await eventually("the file by itself is looked at: \(app.stdout)") {
                !app.lines(containing: "failure(").isEmpty
            }
            #expect(!app.stdout.contains("文件正确"))
        }
    }

    @Test func `a cache says where its files would be`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.snippet("a7", origin)
            try await app.prints("cleared")
            let files = daemon.file("movies/File")
            let line = try #require(app.lines(containing: files).first)
            #expect(line.hasPrefix("\(files)/a \(files)/"))
            #expect(line.hasSuffix(".dmg false"))
        }
    }

    @Test func `a manager that is created later reports how its tasks ended`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let first = try daemon.snippet("a1", origin)
            try await first.prints("true 9")
            first.send(SIGKILL)
            try await eventually("the daemon has finished") {
                let transfers = try await daemon.transfers()
                return transfers.count == 10 && transfers.allSatisfy { $0.state == "succeeded" }
            }
            let second = try daemon.snippet("a8", origin)
            try await second.prints("所有下载任务都成功了")
            #expect(origin.requests.count == 10)
        }
    }

    @Test func `a configuration holds from the next line on`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            try await daemon.snippet("a9", origin).prints("true")
        }
    }

    @Test func `an app delegate gives its completion handler to the manager`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            try await daemon.snippet("delegate", origin).prints("delivered")
        }
    }

    // MARK: A chain of calls

    @Test(arguments: ["b1", "b2", "b3"])
    func `a chain leaves its file in the documents`(function: String) async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            // The suggested destination creates no folders.
            if function == "b3" {
                try FileManager.default.createDirectory(
                    atPath: daemon.file("Documents"), withIntermediateDirectories: false)
            }
            let app = try daemon.snippet(function, origin)
            let file = daemon.file("Documents/QQ_V4.2.4.dmg")
            try await eventually("the file is there: \(app.stdout)\(app.stderr)\(daemon.log)") {
                app.stdout.contains("QQ_V4.2.4.dmg") && FileManager.default.fileExists(atPath: file)
            }
            #expect(try FileDigest.sha256(file) == Self.body.sha256Hex)
            try await eventually("the daemon forgets it") { try await daemon.transfers().isEmpty }
        }
    }

    @Test(arguments: [true, false])
    func `a chain that is written again after a kill is the same transfer`(isDone: Bool) async throws {
        try await withExample(Self.held) { daemon, origin in
            let first = try daemon.snippet("b2", origin)
            await origin.waitForHold("middle")
            first.send(SIGKILL)
            _ = await first.result()
            if isDone {
                origin.release("middle")
                try await eventually("the daemon has the file") {
                    try await daemon.transfers().map(\.state) == ["succeeded"]
                }
            }
            let second = try daemon.snippet("b2", origin)
            if !isDone { origin.release("middle") }
            try await second.printsResponse()
            #expect(try FileDigest.sha256(daemon.file("Documents/QQ_V4.2.4.dmg")) == Self.body.sha256Hex)
            #expect(origin.requests.count == 1)
            try await eventually("the daemon forgets it") { try await daemon.transfers().isEmpty }
        }
    }

    // MARK: Models

    @Test func `downloaded models are deleted at last`() async throws {
        try await withExample(Self.held) { daemon, origin in
            let app = try daemon.snippet("c1", origin)
            try await eventually("the counts are told: \(app.stdout)") { !app.lines(beginning: "1 0 1 ").isEmpty }
            try await eventually("nothing is left") { try await daemon.transfers().isEmpty }
            #expect(try daemon.stored("dmg", "part").isEmpty)
        }
    }

    // MARK: Async and await

    @Test func `a report is enqueued, followed and awaited`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.lineBuffered(
                "Report", [origin.url("/report.pdf"), origin.url("/other.pdf")], environment: ["TMPDIR": daemon.folder])
            let result = await app.result()
            #expect(result.status == 0, "\(result)")
            let paths = try #require(app.lines(beginning: daemon.file("report.bin")).last).split(separator: " ")
            #expect(paths.count == 2)
            for path in paths { #expect(try FileDigest.sha256(String(path)) == Self.body.sha256Hex) }
        }
    }

    @Test func `ten seconds of Ferry are a file`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.lineBuffered("FirstDownload", [origin.url("/image.iso")])
            let result = await app.result()
            #expect(result.status == 0, "\(result)")
            let line = try #require(app.lines(beginning: "succeeded /").last)
            #expect(try FileDigest.sha256(String(line.dropFirst("succeeded ".count))) == Self.body.sha256Hex)
        }
    }
}
