import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Results` {
    private static let body = FerryFixture.body

    @Test func `a finished download asked for again sends no request`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            let told = Notes<String>()
            told.observe(task)
            try await told.wait(for: "task success succeeded")
            let again = try await answer { manager.download(url, handler: $0) }
            #expect(again === task && task.status == .succeeded)
            try await told.wait("a second success") { $0.count { $0 == "task success succeeded" } == 2 }
            try await answer { manager.start(url, handler: $0) }
            try await told.wait("a third success") { $0.count { $0 == "task success succeeded" } == 3 }
            #expect(fixture.origin.requests.count == 1)
        }
    }

    enum Damage: String, CaseIterable {
        case deleted, shortened, touched, linked
    }

    @Test(arguments: Damage.allCases)
    func `a finished download whose file has changed starts again from byte 0`(damage: Damage) async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.reaches(.succeeded)
            let path = task.filePath
            switch damage {
            case .deleted: try FileManager.default.removeItem(atPath: path)
            case .shortened:
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.truncate(atOffset: 1000)
                try file.close()
            case .touched:
                let date = Date(timeIntervalSince1970: 1_000_000)
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            case .linked:
                try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".moved")
            }
            let told = Notes<String>()
            #expect(manager.download(url) === task)
            await fixture.origin.waitForRequests(2)
            told.observe(task)
            try await told.wait(for: "task success succeeded")
            #expect(fixture.origin.requests.count == 2 && fixture.origin.requests.last?.value("Range") == nil)
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `nothing is at the final name before the download is complete`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(200_000)))) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url("/a.bin")))
            try await task.receives(200_000)
            #expect(!task.hasFile)
            fixture.origin.release("go")
            try await task.reaches(.succeeded)
            #expect(
                task.digest == Self.body.sha256Hex && task.filePath == manager.cache.filePath(fileName: task.fileName))
            #expect(try FileManager.default.contentsOfDirectory(atPath: manager.cache.downloadTmpPath).isEmpty)
        }
    }

    @Test(arguments: [304, 400, 401, 403, 404, 407, 410, 501])
    func `a status that is not acceptable fails, is readable, and leaves no file`(status: Int) async throws {
        try await withFerry(OriginScript(Self.body, always: .status(status, body: "an error page"), .field("X-A", "b")))
        { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.failed)
            guard case .unacceptableStatusCode(status)? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            #expect(task.response?.statusCode == status && task.response?.value(forHTTPHeaderField: "X-A") == "b")
            #expect(!task.hasFile)
            #expect(
                ((try? FileManager.default.contentsOfDirectory(atPath: manager.cache.downloadTmpPath)) ?? []).isEmpty)
        }
    }

    @Test func `the acceptable statuses are those of the configuration`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/gone"), .status(410, body: "page")), .on(.path("/made"), .status(201, body: "made")))
        try await withFerry(script) { fixture in
            let manager = fixture.manager { $0.acceptableStatusCodes = 400..<500 }
            let gone = try #require(manager.download(fixture.origin.url("/gone")))
            let made = try #require(manager.download(fixture.origin.url("/made")))
            try await gone.reaches(.succeeded)
            try await made.reaches(.failed)
            #expect(FileManager.default.contents(atPath: gone.filePath) == Data("page".utf8))
            #expect(made.ferryError.map { "\($0)".contains("201") } == true)
        }
    }

    @Test(arguments: ["etag", "last modified"])
    func `a resumption asks for the rest under a validator`(validator: String) async throws {
        let first = OriginRule.on(.request(1), .hold("never", at: .body(200_000)))
        let rules = validator == "etag" ? [first] : [first, .always(.etag(nil))]
        try await withFerry(OriginScript(Self.body, rules: rules)) { fixture in
            let (manager, task) = try await fixture.suspended(after: 200_000)
            manager.start(task)
            try await task.reaches(.succeeded)
            let request = try #require(fixture.origin.requests.last)
            #expect(request.value("Range") == "bytes=200000-")
            #expect(
                request.value("If-Range")
                    == (validator == "etag" ? OriginResource.etag(of: Self.body) : "Mon, 01 Jan 2024 00:00:00 GMT"))
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    static let other = SeededBody(seed: 77, size: 310_000)
    static let changes: [(String, OriginRule)] = [
        ("200 with another version", .always(.version(other))),
        ("200 to every range", .always(.noRanges)),
        ("416", .on(.ranged, .unsatisfiable(.other))),
        ("412", .on(.ranged, .status(412))),
        ("another start", .on(.ranged, .rangeFromZero)),
        ("a start before", .on(.ranged, .contentRange(.shifted))),
        ("another end", .on(.ranged, .contentRange(.shortened))),
        ("another length", .on(.ranged, .completeLength(400_000))),
        ("another validator", .on(.ranged, .etag("\"another\""))),
    ]

    @Test(arguments: changes)
    func `another version restarts from byte 0 with an event, and is never joined`(change: String, rule: OriginRule)
        async throws
    {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(200_000)))) { fixture in
            let (manager, task) = try await fixture.suspended(after: 200_000)
            let events = Notes<DownloadEvent>()
            let reading = try await events.follow(task)
            fixture.origin.script = OriginScript(Self.body, rules: [rule])
            manager.start(task)
            try await task.reaches(.succeeded)
            await reading.value
            #expect(events.words.contains("restarted"), "\(change)")
            let expected = change == "200 with another version" ? Self.other : Self.body
            #expect(task.digest == expected.sha256Hex)
        }
    }

    @Test func `a lost connection is continued without a call or a callback`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.request(1), .cut(after: 150_000)))) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            told.observe(task)
            try await told.wait(for: "task success succeeded")
            #expect(told.ends == ["task success succeeded"])
            #expect(fixture.origin.requests.last?.value("Range") == "bytes=150000-")
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `a passing refusal is repeated`(status: Int) async throws {
        try await withFerry(OriginScript(Self.body, .on(.request(1), .status(status)))) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
            #expect(fixture.origin.requests.count == 2)
        }
    }

    @Test func `a task in back-off holds no slot and says until when`() async throws {
        let script = OriginScript(Self.body, .on(.path("/busy"), .status(503, retryAfter: "3600")))
        try await withFerry(script) { fixture in
            let manager = fixture.manager(limit: 1)
            let busy = try #require(manager.download(fixture.origin.url("/busy")))
            // A busy server gets no other request for a while, so the other task uses another host name.
            let free = try #require(manager.download(fixture.origin.url("/free", host: "localhost")))
            try await free.reaches(.succeeded)
            try await busy.waits { reason in
                guard case .backoff(let until) = reason else { return false }
                return (3000...4000).contains(until.timeIntervalSinceNow)
            }
            #expect(busy.status == .waiting && busy.error == nil && manager.status == .running)
        }
    }

    @Test func `a new address resumes from the old offset with the same task`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/old").and(.pathRequests(...1)), .hold("never", at: .body(200_000))),
            .on(.path("/old").and(.pathRequests(2...)), .status(403)))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url("/old")))
            let id = task.id
            try await task.receives(200_000)
            try await task.suspend()
            try await task.start()
            try await task.reaches(.failed)
            let told = Notes<String>()
            told.observe(task)
            try await task.replaceRequest(
                url: try #require(URL(string: fixture.origin.url("/new"))), headers: ["X-Key": "fresh"])
            try await task.start()
            try await told.wait(for: "task success succeeded")
            let request = try #require(fixture.origin.requests.last)
            #expect(request.path == "/new" && request.value("X-Key") == "fresh")
            #expect(request.value("Range") == "bytes=200000-")
            #expect(task.id == id && manager.tasks == [task] && task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `a new address with another version restarts`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/old"), .hold("never", at: .body(200_000))), .on(.path("/new"), .version(Self.other)))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url("/old")))
            try await task.receives(200_000)
            try await task.suspend()
            try await task.replaceRequest(url: try #require(URL(string: fixture.origin.url("/new"))))
            try await task.start()
            try await task.reaches(.succeeded)
            #expect(task.digest == Self.other.sha256Hex)
        }
    }
}
