import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The download chain`: ChainSuite {
    private static let body = FerryFixture.body

    @Test func `the file goes where the closure says, and response comes after it`() async throws {
        let script = OriginScript(Self.body, always: .disposition(#"attachment; filename="film.mp4""#))
        try await withFerry(script) { fixture in
            let manager = manager(fixture)
            #expect(manager.identifier == fixture.identifier)
            let target = URL(fileURLWithPath: fixture.daemon.file("out/film.mp4"))
            let told = Notes<String>()
            let request = manager.download(fixture.origin.url()) { temporary, response in
                let digest = (try? FileDigest.sha256(temporary.path)) ?? "none"
                told.add("destination \(digest == Self.body.sha256Hex) \(response.suggestedFilename ?? "")")
                return (destinationURL: target, options: [.createIntermediateDirectories])
            }
            .downloadProgress { told.add("progress \($0.completedUnitCount)") }
            let result = try await response(request)
            #expect(result.destinationURL == target && result.error == nil && result.response?.statusCode == 200)
            #expect(result.request?.url?.absoluteString == fixture.origin.url())
            #expect(try FileDigest.sha256(target.path) == Self.body.sha256Hex)
            #expect(told.ends == ["destination true film.mp4"])
            try await told.wait(for: "progress 300000")
            #expect(request.progress.fractionCompleted == 1 && request.response?.statusCode == 200)
            try await eventually("the record is gone") { try await fixture.stored() == 0 }
        }
    }

    @Test func `a plain call is the seed's, a method, a destination or a following member is the chain`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = manager(fixture)
            let url = fixture.origin.url()
            let task = manager.download(url)
            #expect(type(of: task) == DownloadTask?.self)
            let requests = [
                manager.download(url, method: .post),
                manager.download(url, to: destination("/nowhere")),
                manager.download(url) { temporary, _ in (temporary, []) },
                manager.download(url).response { _ in },
                manager.download(url).downloadProgress { _ in },
            ]
            await fixture.origin.waitForRequests(6)
            #expect(fixture.origin.requests.map(\.method).sorted() == ["GET", "GET", "GET", "GET", "GET", "POST"])
            #expect(Set(requests.map { ObjectIdentifier($0) }).count == 5)
        }
    }

    @Test func `each call is its own transfer`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let requests = (0..<3).map { index in
                manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("\(index)")))
            }
            for (index, request) in requests.enumerated() {
                let result = try await response(request)
                #expect(result.destinationURL?.path == fixture.daemon.file("\(index)"))
                #expect(try FileDigest.sha256(fixture.daemon.file("\(index)")) == Self.body.sha256Hex)
            }
            #expect(fixture.origin.requests.count == 3)
        }
    }

    @Test func `an unacceptable status leaves an old file alone and does not ask for a destination`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(404, body: "error page"))) { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("film.mp4")
            try Data("old".utf8).write(to: URL(filePath: path))
            let told = Notes<String>()
            let refused = manager.download(fixture.origin.url()) { _, _ in
                told.add("destination")
                return (URL(fileURLWithPath: path), [.removePreviousFile])
            }
            let result = try await response(refused)
            guard case .unacceptableStatusCode(404)? = result.error as? FerryError else {
                Issue.record("\(String(describing: result.error))")
                return
            }
            #expect(result.response?.statusCode == 404 && result.destinationURL == nil && told.count == 0)
            #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
            let accepted = manager.download(fixture.origin.url(), to: destination(path)).validate(statusCode: [404])
            #expect(try await response(accepted).error == nil)
            #expect(FileManager.default.contents(atPath: path) == Data("error page".utf8))
        }
    }

    @Test(arguments: [200, 206, 302])
    func `validation accepts the named statuses and types`(status: Int) async throws {
        try await withFerry(OriginScript(Self.body, always: .status(201, body: "made"))) { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("a")
            let all = manager.download(fixture.origin.url(), to: destination(path)).validate()
            let accepted = try await response(all)
            #expect(accepted.error == nil)
            let other = manager.download(fixture.origin.url(), to: destination(path)).validate(statusCode: [status])
            let refused = try await response(other)
            #expect(refused.error != nil)
        }
    }

    @Test func `a server that wants credentials refuses a request without any`() async throws {
        let script = OriginScript(Self.body, always: .basic(user: "user", password: "secret"))
        try await withFerry(script) { fixture in
            let manager = manager(fixture)
            let file = fixture.daemon.file("a")
            let refused = try await response(manager.download(fixture.origin.url(), to: destination(file)))
            guard case .unacceptableStatusCode(401)? = refused.error as? FerryError else {
                Issue.record("\(String(describing: refused.error))")
                return
            }
            #expect(refused.response?.statusCode == 401 && !FileManager.default.fileExists(atPath: file))
            let fields = ["Authorization": "Basic dXNlcjpzZWNyZXQ="]
            let admitted = try await response(
                manager.download(fixture.origin.url(), headers: fields, to: destination(file)))
            #expect(admitted.error == nil && admitted.destinationURL?.path == file)
        }
    }

    enum Obstacle: CaseIterable {
        case none, existing, replaced, noFolder, newFolder
    }

    @Test(arguments: Obstacle.allCases)
    func `options decide what happens to an old file and a missing folder`(obstacle: Obstacle) async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            var path = fixture.daemon.file("film.mp4")
            var options: DownloadRequest.DownloadOptions = []
            switch obstacle {
            case .none: break
            case .existing: try Data("old".utf8).write(to: URL(filePath: path))
            case .replaced:
                try Data("old".utf8).write(to: URL(filePath: path))
                options = [.removePreviousFile]
            case .noFolder: path = fixture.daemon.file("new/folder/film.mp4")
            case .newFolder:
                path = fixture.daemon.file("new/folder/film.mp4")
                options = [.createIntermediateDirectories]
            }
            let result = try await response(manager.download(fixture.origin.url(), to: destination(path, options)))
            switch (obstacle, result.error as? FerryError) {
            case (.none, nil), (.replaced, nil), (.newFolder, nil):
                #expect(result.destinationURL?.path == path)
                #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            case (.existing, .fileConflict(path)?):
                #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
                #expect(result.destinationURL == nil)
            case (.noFolder, .cacheError?):
                #expect(!FileManager.default.fileExists(atPath: path) && result.destinationURL == nil)
            default:
                Issue.record("\(obstacle): \(String(describing: result.error))")
            }
        }
    }

    @Test func `without a destination the file is there until the last handler returns`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let told = Notes<String>()
            let place = Notes<String>()
            let request = manager.download(fixture.origin.url(), to: nil)
            for name in ["first", "second"] {
                request.response { result in
                    let path = result.temporaryURL?.path ?? ""
                    place.add(path)
                    told.add("\(name) \((try? FileDigest.sha256(path)) == Self.body.sha256Hex)")
                }
            }
            #expect(try await told.wait(count: 2) == ["first true", "second true"])
            try await eventually("the file is gone") { !FileManager.default.fileExists(atPath: place.all[0]) }
        }
    }

    @Test func `every registered response is called once, on its queue, also after the end`() async throws {
        let key = DispatchSpecificKey<String>()
        try await withFerry { fixture in
            let manager = manager(fixture)
            let queue = DispatchQueue(label: "mine")
            queue.setSpecific(key: key, value: "mine")
            let path = fixture.daemon.file("a")
            let told = Notes<String>()
            let request = manager.download(fixture.origin.url(), to: destination(path))
                .response { _ in told.add("main \(Thread.isMainThread || DispatchQueue.getSpecific(key: key) == nil)") }
                .response(queue: queue) { _ in told.add(DispatchQueue.getSpecific(key: key) ?? "none") }
                .downloadProgress(queue: queue) { _ in told.add("progress") }
            try await told.wait("both") { $0.contains("main true") && $0.contains("mine") }
            #expect(try await response(request).destinationURL?.path == path)
            #expect(told.ends.count == 2)
        }
    }

    @Test func `the suggested destination is a folder and a harmless name`() throws {
        let url = try #require(URL(string: "http://example.org/a/b.bin"))
        let fields = ["Content-Disposition": #"attachment; filename="../../evil.sh""#]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
        let suggest = DownloadRequest.suggestedDownloadDestination(for: .cachesDirectory)
        let folder = try #require(FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
        let suggestion = suggest(url, response)
        #expect(suggestion.options.isEmpty)
        #expect(FileManager.default.fileExists(atPath: folder.path))
        #expect(
            suggestion.destinationURL.deletingLastPathComponent().standardizedFileURL.path
                == folder.standardizedFileURL.path)
        #expect(suggestion.destinationURL.lastPathComponent.hasSuffix("evil.sh"))
    }

    @Test func `a request is paused, resumed and canceled`() async throws {
        let script = OriginScript(Self.body, .on(.pathRequests(...1), .hold("never", at: .body(100_000))))
        try await withFerry(script) { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("a")
            let request = manager.download(fixture.origin.url("/1"), to: destination(path))
            try await request.downloadTask.receives(100_000)
            request.suspend()
            try await request.downloadTask.reaches(.suspended)
            request.resume()
            #expect(try await response(request).destinationURL?.path == path)
            #expect(fixture.origin.requests.last?.value("Range") == "bytes=100000-")
            let canceled = manager.download(fixture.origin.url("/2"), to: destination(fixture.daemon.file("b")))
            try await canceled.downloadTask.receives(100_000)
            canceled.cancel()
            let error = try #require(try await response(canceled).error as? URLError)
            #expect(error.code == .cancelled && error.failingURL?.path == "/2")
            #expect(!FileManager.default.fileExists(atPath: fixture.daemon.file("b")))
        }
    }
}
