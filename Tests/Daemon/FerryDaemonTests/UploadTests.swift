import FerryCore
import FerryTesting
import Foundation
import NIOCore
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Uploads of the command line` {
    /// Size of the uploaded file. Larger for measurements.
    private static let size =
        ProcessInfo.processInfo.environment["FERRY_UPLOAD_SIZE"].flatMap { Int64($0) } ?? 24 << 20

    private func withUploads(
        _ behaviour: UploadBehaviour = UploadBehaviour(), size: Int64 = 3_000_000,
        _ body: (DaemonFixture, UploadServer, SeededBody, String) async throws -> Void
    ) async throws {
        let server = try await UploadServer.start(behaviour)
        do {
            try await withDaemon { ferry in
                let content = SeededBody(seed: 39, size: size)
                let file = ferry.file("up.bin")
                try Data(content.bytes).write(to: URL(fileURLWithPath: file))
                try await body(ferry, server, content, file)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func expectUploaded(
        _ server: UploadServer, _ content: SeededBody, wasted: Int64 = 0, _ location: SourceLocation = #_sourceLocation
    ) {
        let got = server.completed["/in"]
        #expect(got.map { FileDigest.sha256($0) } == content.sha256Hex, sourceLocation: location)
        let twice = server.bytesReceived - content.size
        #expect((0...wasted).contains(twice), "\(twice) bytes were sent twice", sourceLocation: location)
    }

    @Test(arguments: [LifecycleStep.uploadKnown, .uploadRecorded, .headAccepted, .outcomeCommitted])
    func `a daemon that dies at a step goes on with the upload`(step: LifecycleStep) async throws {
        try await withUploads { ferry, server, content, file in
            try await ferry.startDaemon(["FERRY_KILL_AT": step.rawValue])
            let first = try #require(ferry.daemons.first)
            var result = try await ferry.run(["put", "-X", "POST", file, server.url()])
            #expect(!ferry.daemons.contains(first), "the daemon did not die at \(step)")
            if step == .uploadKnown {
                // Until the upload resource is in the journal, the server may have the whole request without its answer.
                #expect(result.status == 3 && result.stderr.contains("POST must not be sent twice"), "\(result)")
                let id = try #require(try await ferry.list().first).id
                #expect(try await ferry.run(["retry", id]).status == 0)
                result = try await ferry.run(["wait", id])
            }
            #expect(result.status == 0, "\(result)")
            let got = server.completed["/in"]
            #expect(got.map { FileDigest.sha256($0) } == content.sha256Hex)
            if step != .uploadKnown { expectUploaded(server, content) }
        }
    }

    @Test func `daemon, command and server killed three times each cost at most one window`() async throws {
        try await withUploads(size: Self.size) { ferry, server, content, file in
            try await ferry.startDaemon()
            #expect(try await ferry.run(["limit", "\(Self.size / 6)"]).status == 0)
            let first = try await ferry.run(["put", "-X", "POST", "--detach", file, server.url()])
            let id = first.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(first.status == 0, "\(first)")
            for kill in 1...9 {
                try await server.wait(forBytes: Self.size * Int64(kill) / 10)
                switch kill % 3 {
                case 0: try await ferry.killDaemon()
                case 1:
                    await server.stop()
                    try await server.restart()
                default:
                    let waiting = try ferry.spawn(["wait", id])
                    waiting.send(SIGKILL)
                    _ = await waiting.result()
                    try await ferry.killDaemon()
                }
                _ = try await ferry.run(["daemon", "start"])
            }
            let result = try await ferry.run(["wait", id])
            #expect(result.status == 0, "\(result)\n\(ferry.log)")
            expectUploaded(server, content, wasted: 2 << 20)
            print("sent twice: \(server.bytesReceived - content.size) bytes of \(content.size)")
        }
    }

    @Test func `pause and resume, cancel and retry are those of downloads`() async throws {
        try await withUploads { ferry, server, content, file in
            try await ferry.startDaemon()
            #expect(try await ferry.run(["limit", "1M"]).status == 0)
            let id = try await ferry.run(["put", "--detach", file, server.url()]).stdout
                .trimmingCharacters(in: .whitespacesAndNewlines)
            try await server.wait(forBytes: 200_000)
            #expect(try await ferry.run(["pause", id]).status == 0)
            let shown = try await ferry.run(["info", id, "--json"]).stdout
            #expect(shown.contains(#""direction" : "upload""#) || shown.contains(#""direction":"upload""#), "\(shown)")
            #expect(try await ferry.run(["limit", "0"]).status == 0)
            #expect(try await ferry.run(["resume", id]).status == 0)
            let result = try await ferry.run(["wait", id])
            #expect(result.status == 0, "\(result)")
            expectUploaded(server, content)
            let info = try await ferry.run(["info", id]).stdout
            #expect(info.contains("sent:") && info.contains("answer:        201"), "\(info)")
        }
    }

    @Test func `a file that changes on the way fails the upload, before its new content is sent`() async throws {
        try await withUploads { ferry, server, content, file in
            try await ferry.startDaemon()
            #expect(try await ferry.run(["limit", "1M"]).status == 0)
            let id = try await ferry.run(["put", "--detach", file, server.url()]).stdout
                .trimmingCharacters(in: .whitespacesAndNewlines)
            try await server.wait(forBytes: 100_000)
            let handle = try #require(FileHandle(forUpdatingAtPath: file))
            try handle.seek(toOffset: 2_900_000)
            try handle.write(contentsOf: Data(repeating: 0, count: 100_000))
            try handle.close()
            let result = try await ferry.run(["wait", id])
            #expect(result.status == 8 && result.stderr.contains("file_changed"), "\(result)")
            #expect(server.completed.isEmpty)
            // The server has the beginning of the unchanged file.
            let kept = server.contents
            #expect(kept.allSatisfy { content.bytes.starts(with: $0.readableBytesView) })
        }
    }

    @Test func `a thousand small files go with one command`() async throws {
        try await withUploads(size: 10) { ferry, server, _, _ in
            try await ferry.startDaemon()
            let folder = ferry.file("many")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let names = (0..<1000).map { "\($0).txt" }
            for name in names { try Data(name.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
            let result = try await ferry.run(
                ["put", "-q"] + names.map { "\(folder)/\($0)" } + [server.url("/all/")])
            #expect(result.status == 0, "\(result)")
            let all = server.completed
            #expect(all.count == 1000)
            #expect(names.allSatisfy { all["/all/\($0)"].map { String(buffer: $0) } == $0 })
        }
    }

    @Test func `a limit of uploads holds up no download`() async throws {
        let body = SeededBody(seed: 40, size: 2 << 20)
        try await withUploads { ferry, server, content, file in
            try await withOrigin(OriginScript(body)) { origin in
                try await ferry.startDaemon()
                #expect(try await ferry.run(["settings", "upload_rate_limit=16k"]).status == 0)
                let id = try await ferry.run(["put", "--detach", file, server.url()]).stdout
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                try await server.wait(forBytes: 1)
                #expect(try await ferry.run(["get", "-q", origin.url()]).status == 0)
                // At this rate limit the upload takes three minutes.
                #expect(server.completed.isEmpty)
                _ = try await ferry.run(["settings", "upload_rate_limit=0"])
                #expect(try await ferry.run(["wait", id]).status == 0)
                expectUploaded(server, content)
            }
        }
    }
}
