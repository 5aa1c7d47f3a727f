@testable import FerryURLSession
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A download in the app` {
    private static let body = SeededBody(seed: 5, size: 600_000)

    private func withSession(
        _ script: OriginScript = OriginScript(body), _ witness: TransferWitness = TransferWitness(),
        configuration: URLSessionConfiguration = .ephemeral,
        _ run: (URLSession, TransferWitness, ScriptedOrigin, URL) async throws -> Void
    ) async throws {
        try await withOrigin(script) { origin in
            let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            try await run(session, witness, origin, try #require(URL(string: origin.url())))
        }
    }

    /// A regression: the file was removed before its task completed. Some libraries read it in the completion or a
    /// little later.
    @Test func `35, 37 a file comes before its task's completion, and is there as long as the task`() async throws {
        try await withSession { session, witness, _, url in
            let place = try await URL(fileURLWithPath: download(session, witness, url))
            try await eventually("the task's file is gone") { !FileManager.default.fileExists(atPath: place.path) }
        }
    }

    /// Downloads, checks the task while it is held, and returns the path of its file.
    private func download(
        _ session: FerryURLSession.URLSession, _ witness: TransferWitness, _ url: URL
    ) async throws -> String {
        let task = session.downloadTask(with: url)
        task.resume()
        let story = try await witness.end(of: task)
        #expect(story.calls == ["file", "metrics", "completed"] && story.error == nil)
        #expect(story.digest == Self.body.sha256Hex && story.written.last == 600_000)
        #expect(task.state == .completed && task.countOfBytesReceived == 600_000)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        let place = try #require(story.place)
        #expect(FileManager.default.fileExists(atPath: place.path))
        try await eventually("the session has let go of the task") { await session.allTasks.isEmpty }
        withExtendedLifetime(task) { #expect(FileManager.default.fileExists(atPath: place.path)) }
        return place.path
    }

    @Test func `4 nothing is asked before a task is resumed`() async throws {
        try await withSession { session, witness, origin, url in
            let idle = session.downloadTask(with: url)
            let other = session.downloadTask(with: url)
            other.resume()
            _ = try await witness.end(of: other)
            #expect(idle.state == .suspended && origin.requests.count == 1)
        }
    }

    @Test func `14 an error status is a result`() async throws {
        try await withSession(OriginScript(Self.body, .on(.always, .status(404, body: "gone")))) {
            session, witness, _, url in
            let task = session.downloadTask(with: url)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.error == nil && story.calls.first == "file")
            #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
        }
    }

    @Test func `15 a file that was awaited is left to its caller`() async throws {
        try await withSession { session, _, _, url in
            let (file, response) = try await session.download(for: URLRequest(url: url))
            #expect(try FileDigest.sha256(file.path) == Self.body.sha256Hex)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test func `43, 62, 63 a download that was canceled with resume data is continued by another task`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(300_000))))
        try await withSession(script) { session, witness, origin, url in
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("half has come") { task.countOfBytesReceived == 300_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            let story = try await witness.end(of: task)
            #expect(story.error?.code == .cancelled && story.error?.downloadTaskResumeData == data)
            let shown = NSTemporaryDirectory() + (try #require(ResumeData(data)).fileName)
            #expect(try Data(contentsOf: URL(fileURLWithPath: shown)).count == 300_000)
            let next = session.downloadTask(withResumeData: data)
            #expect(next.countOfBytesReceived == 300_000)
            next.resume()
            let end = try await witness.end(of: next)
            #expect(end.error == nil && end.digest == Self.body.sha256Hex && end.offsets == [300_000])
            #expect(!FileManager.default.fileExists(atPath: shown))
            #expect(origin.requests.last?.value("Range") == "bytes=300000-")
            #expect(origin.requests.last?.value("If-Range") != nil)
            let third = session.downloadTask(withResumeData: data)
            third.resume()
            #expect(try await witness.end(of: third).error?.code == .cannotWriteToFile)
        }
    }

    /// Signed addresses to which a host redirects are valid for some minutes.
    @Test func `63 a continuation begins at the task's own URL, not at a redirect's target that has expired`()
        async throws
    {
        let script = OriginScript(
            Self.body, .on(.path("/file.bin"), .signedRedirect), .on(.path("/signed/*"), .expiring(uses: 1)),
            .on(.request(2), .hold("never", at: .body(300_000))))
        try await withSession(script) { session, witness, origin, url in
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("half has come") { task.countOfBytesReceived == 300_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            let next = session.downloadTask(withResumeData: data)
            #expect(next.originalRequest?.url == url)
            next.resume()
            let end = try await witness.end(of: next)
            #expect(end.error == nil && end.digest == Self.body.sha256Hex && end.offsets == [300_000])
            #expect(origin.requests.map(\.path).filter { $0 == "/file.bin" }.count == 2)
        }
    }

    @Test func `63 a continuation that the server refuses fails, and the data stay usable`() async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .hold("never", at: .body(300_000))), .on(.request(2), .status(403, body: "no")),
            .on(.request(3), .status(403, body: "no")))
        try await withSession(script) { session, witness, origin, url in
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("half has come") { task.countOfBytesReceived == 300_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            for _ in 0..<2 {
                let refused = session.downloadTask(withResumeData: data)
                refused.resume()
                let story = try await witness.end(of: refused)
                #expect(story.error?.code == .badServerResponse && story.error?.downloadTaskResumeData != nil)
                #expect(story.calls.first != "file")
                #expect((refused.response as? HTTPURLResponse)?.statusCode == 403)
            }
            let next = session.downloadTask(withResumeData: data)
            next.resume()
            let end = try await witness.end(of: next)
            #expect(end.digest == Self.body.sha256Hex && end.offsets == [300_000])
        }
    }

    @Test func `65 unusable resume data say so`() async throws {
        try await withSession { session, witness, _, _ in
            let task = session.downloadTask(withResumeData: Data("none".utf8))
            task.resume()
            let error = try #require(try await witness.end(of: task).error)
            #expect(error.code == .cannotWriteToFile)
            #expect(error.localizedDescription.contains("The resume data cannot be used: they are damaged"))
        }
    }

    @Test func `66 a response that arrives after the cancellation is not shown`() throws {
        let session = URLSession(configuration: .ephemeral)
        let url = try #require(URL(string: "http://example.invalid/"))
        let task = session.downloadTask(with: url)
        let relay = TaskRelay(task, of: session)
        _ = task.storage.withLock { $0.ledger.cancelled() }
        relay.responseKnown(URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil))
        #expect(task.response == nil)
        session.invalidateAndCancel()
    }

    @Test func `33 tasks start in the order of their resumption`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        try await withSession(configuration: configuration) { session, witness, origin, _ in
            let tasks = try (0..<12).map { session.downloadTask(with: try #require(URL(string: origin.url("/\($0)")))) }
            let order = tasks.indices.filter { $0 % 2 == 0 } + tasks.indices.filter { $0 % 2 == 1 }
            for index in order { tasks[index].resume() }
            for task in tasks { _ = try await witness.end(of: task) }
            #expect(origin.requests.map(\.path) == order.map { "/\($0)" })
        }
    }

    @Test func `16, 67 a body that ends too early is -1005 with resume data`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .cut(after: 200_000)))
        try await withSession(script) { session, witness, _, url in
            let task = session.downloadTask(with: url)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.error?.code == .networkConnectionLost && story.error?.failingURL == url)
            let next = session.downloadTask(withResumeData: try #require(story.error?.downloadTaskResumeData))
            next.resume()
            #expect(try await witness.end(of: next).digest == Self.body.sha256Hex)
        }
    }

    @Test func `9, 66 a session that is canceled cancels its tasks, without data`() async throws {
        let script = OriginScript(Self.body, .on(.always, .hold("never", at: .body(300_000))))
        try await withSession(script) { session, witness, _, url in
            let (running, idle) = (session.downloadTask(with: url), session.downloadTask(with: url))
            running.resume()
            try await eventually("bytes have come") { running.countOfBytesReceived > 0 }
            session.invalidateAndCancel()
            for task in [running, idle] {
                let error = try await witness.end(of: task).error
                #expect(error?.code == .cancelled && error?.downloadTaskResumeData == nil)
            }
            try await eventually("the delegate is let go") { session.delegate == nil }
        }
    }

    @Test func `34 a suspended download stops, and resumes where it was`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("go", at: .body(100_000))))
        try await withSession(script) { session, witness, origin, url in
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("bytes have come") { task.countOfBytesReceived == 100_000 }
            task.suspend()
            await origin.waitForIdle()
            #expect(task.state == .suspended)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.digest == Self.body.sha256Hex && story.offsets.isEmpty)
            #expect(origin.requests.last?.value("Range") != nil)
        }
    }
}
