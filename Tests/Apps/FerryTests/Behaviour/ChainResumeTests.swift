import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A resumed download chain`: ChainSuite {
    private static let body = FerryFixture.body

    /// A server that holds the first response of each path after 100,000 bytes.
    private static var script: OriginScript {
        OriginScript(body, .on(.pathRequests(...1), .hold("never", at: .body(100_000))))
    }

    /// Returns a manager with downloads in the daemon or in this process.
    private func manager(_ fixture: FerryFixture, isBackground: Bool) -> SessionManager {
        isBackground ? manager(fixture) : fixture.make { SessionManager(configuration: .default) }
    }

    @Test(arguments: [true, false])
    func `cancel keeps resume data, and they bring the rest alone`(isBackground: Bool) async throws {
        try await withFerry(Self.script) { fixture in
            let manager = manager(fixture, isBackground: isBackground)
            let path = fixture.daemon.file("film.mp4")
            let first = manager.download(fixture.origin.url("/film"), headers: ["X-A": "kept"], to: destination(path))
            #expect(first.resumeData == nil)
            try await first.downloadTask.receives(100_000)
            first.cancel()
            let canceled = try await response(first)
            #expect((canceled.error as? URLError)?.code == .cancelled && canceled.destinationURL == nil)
            let data = try #require(canceled.resumeData)
            #expect(first.resumeData == data)
            let second = manager.download(resumingWith: data, to: destination(path))
            #expect(second.request?.url?.absoluteString == fixture.origin.url("/film"))
            let result = try await response(second)
            #expect(result.destinationURL?.path == path && result.error == nil && result.resumeData == nil)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            let sent = try #require(fixture.origin.requests.last)
            #expect(sent.value("Range") == "bytes=100000-" && sent.value("X-A") == "kept")
            #expect(fixture.origin.requests.count == 2)
        }
    }

    @Test func `a cancel without resume data keeps none, and a second cancel changes nothing`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = manager(fixture)
            let without = manager.download(fixture.origin.url("/1"), to: destination(fixture.daemon.file("a")))
            try await without.downloadTask.receives(100_000)
            without.cancel(createResumeData: false)
            let ended = try await response(without)
            #expect((ended.error as? URLError)?.code == .cancelled && ended.resumeData == nil)
            let twice = manager.download(fixture.origin.url("/2"), to: destination(fixture.daemon.file("b")))
            try await twice.downloadTask.receives(100_000)
            twice.cancel()
            twice.cancel()
            let data = try await response(twice).resumeData
            #expect(data != nil)
            twice.cancel()
            #expect(twice.resumeData == data)
        }
    }

    @Test func `resume data that are none, or were used, are an error of Foundation's`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = manager(fixture)
            let torn = try await response(manager.download(resumingWith: Data("torn".utf8)))
            #expect((torn.error as? URLError)?.code == .cannotWriteToFile && torn.temporaryURL == nil)
            let first = manager.download(fixture.origin.url("/film"), to: nil)
            try await first.downloadTask.receives(100_000)
            first.cancel()
            let data = try #require(try await response(first).resumeData)
            let used = try await response(manager.download(resumingWith: data, to: nil))
            #expect(used.error == nil)
            let again = try await response(manager.download(resumingWith: data, to: nil))
            #expect((again.error as? URLError)?.code == .cannotWriteToFile, "\(String(describing: again.error))")
        }
    }

    @Test func `resume data of a session's task are taken too`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.make { SessionManager(configuration: .default) }
            let url = try #require(URL(string: fixture.origin.url("/film")))
            let session = URLSession(configuration: .default)
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("bytes have come") { task.countOfBytesReceived >= 100_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            session.invalidateAndCancel()
            let path = fixture.daemon.file("a")
            let result = try await response(manager.download(resumingWith: data, to: destination(path)))
            #expect(result.error == nil)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            #expect(fixture.origin.requests.last?.value("Range") == "bytes=100000-")
        }
    }

    @Test func `a request that waits begins when it is resumed`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            manager.startRequestsImmediately = false
            let path = fixture.daemon.file("a")
            let request = manager.download(fixture.origin.url(), to: destination(path))
            try await request.downloadTask.reaches(.suspended)
            #expect(fixture.origin.requests.isEmpty)
            request.resume()
            #expect(try await response(request).destinationURL?.path == path)
        }
    }

    /// Retries a failed download once.
    private struct Persistent: RequestRetrier {
        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            completion(request.retryCount == 0 && error is URLError, 0)
        }
    }

    /// A regression: an in-process download was retried for seven days.
    @Test(arguments: [true, false])
    func `a cut in the process itself is the result, and the rest alone is fetched afterwards`(
        isRetried: Bool
    ) async throws {
        try await withFerry(OriginScript(Self.body, .on(.pathRequests(...1), .cut(after: 100_000)))) { fixture in
            let manager = manager(fixture, isBackground: false)
            if isRetried { manager.retrier = Persistent() }
            let path = fixture.daemon.file("a")
            var result = try await response(manager.download(fixture.origin.url(), to: destination(path)))
            if !isRetried {
                #expect(
                    (result.error as? URLError)?.code == .networkConnectionLost && fixture.origin.requests.count == 1)
                let data = try #require(result.resumeData)
                result = try await response(manager.download(resumingWith: data, to: destination(path)))
            }
            #expect(result.error == nil && result.destinationURL?.path == path)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            let ranges = fixture.origin.requests.map { $0.value("Range") }
            #expect(ranges == [nil, "bytes=100000-"])
        }
    }

    /// Retries a download once, but calls the completion twice.
    private struct Stammering: RequestRetrier {
        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            completion(request.retryCount == 0, 0)
            completion(true, 0)
        }
    }

    @Test func `a resumed download that is cut again is retried once, after all bytes have come`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.pathRequests(...2), .cut(after: 100_000)))) { fixture in
            let manager = manager(fixture, isBackground: false)
            let cut = try await response(manager.download(fixture.origin.url(), to: nil))
            let data = try #require(cut.resumeData)
            manager.retrier = Stammering()
            let path = fixture.daemon.file("a")
            let result = try await response(manager.download(resumingWith: data, to: destination(path)))
            #expect(result.error == nil)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            let ranges = fixture.origin.requests.map { $0.value("Range") }
            #expect(ranges == [nil, "bytes=100000-", "bytes=200000-"])
        }
    }

    @Test func `a busy server is reported at once in the process itself`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(503, body: "busy"))) { fixture in
            let manager = manager(fixture, isBackground: false)
            let result = try await response(manager.download(fixture.origin.url(), to: nil).validate())
            #expect((result.error as? AFError)?.responseCode == 503 && fixture.origin.requests.count == 1)
        }
    }
}
