import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct `A file` {
    private static let body = FerryFixture.body

    /// A file that is not in its folder must not count as a success, and its bytes must not be downloaded twice.
    @Test func `that cannot be placed fails its task, and is placed later without another request`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let cache = fixture.cache()
            let manager = fixture.manager(cache: cache)
            let task = try #require(manager.download(fixture.origin.url(), fileName: "film.bin"))
            try await task.receives(1000)
            // A file in place of the folder. Unlike permissions, it stops root too.
            try FileManager.default.removeItem(atPath: cache.downloadFilePath)
            try Data().write(to: URL(filePath: cache.downloadFilePath))
            fixture.origin.release("go")
            try await task.reaches(.failed)
            guard case .cacheError? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            try FileManager.default.removeItem(atPath: cache.downloadFilePath)
            manager.start(task)
            try await task.reaches(.succeeded)
            #expect(task.digest == Self.body.sha256Hex && task.error == nil)
            #expect(fixture.origin.requests.count == 1)
            #expect(await fixture.origin.allBytesSent == Self.body.size)
        }
    }

    /// A hostile server must not choose a path outside the folder, where it could overwrite other files.
    @Test(arguments: ["../../x", "/etc/x", "a/../../x", "..", ".hidden", "x"])
    func `named by its server stays in its folder`(name: String) async throws {
        try await withFerry(OriginScript(Self.body, always: .disposition("attachment; filename=\"\(name)\""))) {
            fixture in
            let folder = fixture.daemon.file("inner/folder")
            let manager = fixture.manager()
            var spec = try DownloadSpec(fixture.origin.url("/file.bin"))
            spec.destination = .directory(URL(filePath: folder))
            let task = try await manager.enqueue(spec)
            let file = try await task.value
            #expect(file.deletingLastPathComponent().path(percentEncoded: false).hasPrefix(folder))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [file.lastPathComponent])
            #expect(!file.lastPathComponent.hasPrefix("."))
            #expect(try FileDigest.sha256(file.path(percentEncoded: false)) == Self.body.sha256Hex)
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.daemon.file("inner")) == ["folder"])
        }
    }

    /// An invalid URL makes no task, so pairing the codes by position would report good files as damaged.
    @Test func `is compared with its own code alone, also where a URL between is none`() async throws {
        let bodies = (0..<5).map { SeededBody(seed: 90 + UInt64($0), size: 50_000) }
        var script = OriginScript(Self.body)
        for (index, body) in bodies.enumerated() { script.files["/file-\(index).bin"] = body }
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            var urls = fixture.urls(5)
            urls[1] = "no url"
            let tasks = manager.multiDownload(urls)
            try #require(tasks.count == 4 && manager.tasks == tasks)
            let decided = Notes<String>()
            tasks.validateFile(codes: bodies.map(\.md5Hex), type: .md5) { decided.add($0.url.path) }
            try await decided.wait(count: 4) { $0.hasPrefix("/file-") }
            #expect(tasks.allSatisfy { $0.validation == .unknown })
            let codes = [0, 2, 3, 4].map { bodies[$0].md5Hex }
            tasks.validateFile(codes: codes, type: .md5) { decided.add($0.url.path) }
            try await eventually("codes are compared") { tasks.allSatisfy { $0.validation == .correct } }
            try await decided.wait(count: 8) { $0.hasPrefix("/file-") }
        }
    }

    /// A failed update must not delete the copy that the user already has.
    @Test func `that is good stays when an error page comes in its place`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(404, body: "no such page"))) { fixture in
            let file = URL(filePath: fixture.daemon.file("good.bin"))
            try Data("good".utf8).write(to: file)
            let manager = fixture.make {
                SessionManager(configuration: .background(withIdentifier: fixture.identifier))
            }
            let asked = Notes<String>()
            let ended = Notes<DefaultDownloadResponse>()
            manager.download(fixture.origin.url()) { _, _ in
                asked.add("destination")
                return (file, [.removePreviousFile])
            }
            .response { ended.add($0) }
            let response = try #require(try await ended.wait(count: 1).first)
            #expect(response.error != nil && response.destinationURL == nil && response.response?.statusCode == 404)
            #expect(asked.all.isEmpty)
            #expect(try Data(contentsOf: file) == Data("good".utf8))
        }
    }
}
