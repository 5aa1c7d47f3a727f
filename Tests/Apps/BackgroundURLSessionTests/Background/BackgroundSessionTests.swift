@testable import FerryURLSession
import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(3))) struct `A background session` {
    private static let body = SeededBody(seed: 6, size: 500_000)

    private func withOriginAndDaemon(
        _ script: OriginScript = OriginScript(body),
        _ run: (BackgroundBed, ScriptedOrigin, URL) async throws -> Void
    ) async throws {
        try await withOrigin(script) { origin in
            try await withBackground { bed in try await run(bed, origin, try #require(URL(string: origin.url()))) }
        }
    }

    @Test func `7, 35, 51 a download comes by the daemon`() async throws {
        try await withOriginAndDaemon { bed, _, url in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.downloadTask(with: url)
            #expect(task.taskIdentifier == 1 && task.state == .suspended)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.calls == ["file", "metrics", "completed"] && story.digest == Self.body.sha256Hex)
            let place = try #require(story.place)
            #expect(story.hadFile)
            try await eventually("the file is gone") { !FileManager.default.fileExists(atPath: place.path) }
            session.finishTasksAndInvalidate()
            try await eventually("the session ends") { session.delegate == nil }
            try await bed.fixture.withClient { client in
                let left = try await client.transfers(.init()).transfers
                #expect(left.isEmpty)
            }
        }
    }

    @Test func `5, 48, 49, 52 tasks and results of an earlier process are there at the next attach`() async throws {
        let script = OriginScript(Self.body, .on(.path("/slow"), .hold("never", at: .body(100_000))))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let first = bed.session(TransferWitness())
            let done = first.downloadTask(with: url)
            let idle = first.downloadTask(with: url)
            let slow = first.downloadTask(with: try #require(URL(string: origin.url("/slow"))))
            idle.taskDescription = "idle"
            slow.resume()
            await origin.waitForHold("never")
            await bed.abandon(first)
            done.resume()
            try await bed.fixture.withClient { client in
                try await eventually("the download ends") {
                    try await client.transfers(.init()).transfers.contains { $0.state == .succeeded }
                }
            }
            let witness = TransferWitness()
            let second = bed.session(witness)
            let tasks = await second.allTasks
            #expect(Set(tasks.map(\.taskIdentifier)).isSuperset(of: [2, 3]))
            let story = try await witness.end(of: done)
            #expect(story.calls == ["file", "metrics", "completed"] && story.digest == Self.body.sha256Hex)
            #expect(tasks.first { $0.taskIdentifier == 2 }?.taskDescription == "idle")
            #expect(tasks.first { $0.taskIdentifier == 2 }?.state == .suspended)
            #expect(tasks.first { $0.taskIdentifier == 3 }?.state == .running)
            #expect(second.downloadTask(with: url).taskIdentifier == 4)
            second.invalidateAndCancel()
            try await eventually("the session ends") { second.delegate == nil }
        }
    }

    /// A regression: the successor blocked its thread for ten seconds, and its task failed with -997.
    @Test(arguments: [false, true])
    func `10 tasks of a successor wait for its predecessor's tasks, and no call does`(cancels: Bool) async throws {
        let script = OriginScript(Self.body, .on(.path("/slow"), .hold("go", at: .body(100_000))))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let (old, new) = (TransferWitness(), TransferWitness())
            let first = bed.session(old)
            let slow = first.downloadTask(with: try #require(URL(string: origin.url("/slow"))))
            slow.resume()
            await origin.waitForHold("go")
            if cancels { first.invalidateAndCancel() } else { first.finishTasksAndInvalidate() }
            let second = bed.session(new)
            let task = second.downloadTask(with: url)
            task.resume()
            if !cancels {
                #expect(task.state == .running && task.taskIdentifier > 1000)
                #expect(origin.requests.map(\.path) == ["/slow"])
                origin.release("go")
            }
            #expect(try await old.end(of: slow).error?.code == (cancels ? .cancelled : nil))
            #expect(try await new.end(of: task).digest == Self.body.sha256Hex)
            second.finishTasksAndInvalidate()
        }
    }

    @Test func `63 a continuation in the daemon begins at the task's own URL, and a refusal does not cost the bytes`()
        async throws
    {
        let script = OriginScript(
            Self.body, .on(.path("/file.bin"), .signedRedirect), .on(.path("/signed/*"), .expiring(uses: 1)),
            .on(.request(2), .hold("never", at: .body(200_000))), .on(.request(4), .status(404)))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("some bytes have come") { task.countOfBytesReceived == 200_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            let refused = session.downloadTask(withResumeData: data)
            refused.resume()
            let failure = try await witness.end(of: refused)
            #expect(failure.error?.code == .badServerResponse && !failure.calls.contains("file"))
            let next = session.downloadTask(withResumeData: data)
            next.resume()
            let end = try await witness.end(of: next)
            #expect(end.digest == Self.body.sha256Hex && end.offsets == [200_000])
            session.finishTasksAndInvalidate()
        }
    }

    @Test func `1 an identifier that cannot name a session is an error that says so`() async throws {
        let witness = TransferWitness()
        let session = FerryURLSession.URLSession(
            configuration: .background(withIdentifier: "a\nb"), delegate: witness, delegateQueue: nil)
        let task = session.downloadTask(with: try #require(URL(string: "http://example.invalid/")))
        task.resume()
        _ = try await witness.end(of: task)
        let error = try #require(task.error)
        #expect(error.localizedDescription.contains("cannot identify a background session"))
        session.finishTasksAndInvalidate()
    }

    @Test func `5 a description that is too long fails its task, and all else is kept`() async throws {
        try await withOriginAndDaemon { bed, _, url in
            let first = bed.session(TransferWitness())
            let task = first.downloadTask(with: url)
            task.metadata = ["a": "b"]
            task.destination = .init(URL(fileURLWithPath: "/somewhere"))
            task.taskDescription = String(repeating: "x", count: 1_100_000)
            try await eventually("the daemon has the destination") {
                let kept = try await bed.daemon.service.transfers(TransferQuery()).transfers
                return kept.contains { $0.note?.data.contains("/somewhere") == true }
            }
            await bed.abandon(first)
            let witness = TransferWitness()
            let second = bed.session(witness)
            let kept = try #require(await second.allTasks.first as? FerryURLSession.URLSessionDownloadTask)
            #expect(kept.metadata == ["a": "b"] && kept.destination?.url.path == "/somewhere")
            #expect(kept.taskDescription == nil)
            kept.taskDescription = String(repeating: "x", count: 1_100_000)
            kept.resume()
            let error = try #require(try await witness.end(of: kept).error)
            #expect(error.code == .dataLengthExceedsMaximum)
            #expect(error.localizedDescription.contains("taskDescription has 1100000 bytes"))
            let other = second.downloadTask(with: url)
            other.taskDescription = String(repeating: "x", count: 1_100_000)
            other.taskDescription = "short"
            other.resume()
            #expect(try await witness.end(of: other).error == nil)
        }
    }

    /// A regression: each result was delivered in a `Task` of its own. They arrived in any order, and all files before
    /// all completions.
    @Test func `49 results of the time of absence come in the order of their ends, each file before its completion`()
        async throws
    {
        let paths = (1...6).map { "/\($0)" }
        let rules = paths.map { OriginRule.on(.path($0), .hold($0, at: .body(1000))) }
        try await withOriginAndDaemon(OriginScript(Self.body, rules: rules)) { bed, origin, _ in
            let first = bed.session(TransferWitness())
            let tasks = try paths.map { first.downloadTask(with: try #require(URL(string: origin.url($0)))) }
            for task in tasks { task.resume() }
            for path in paths { await origin.waitForHold(path) }
            await bed.abandon(first)
            try await bed.fixture.withClient { client in
                for (index, path) in paths.reversed().enumerated() {
                    origin.release(path)
                    try await eventually("the download of \(path) ends") {
                        try await client.transfers(.init()).transfers.count { $0.state == .succeeded } == index + 1
                    }
                }
            }
            let told = Mutex<[String]>([])
            let recorder = CallRecorder(during: { call, task in
                guard let task, call.hasPrefix("file") || call.hasPrefix("completed") else { return }
                told.withLock { $0.append("\(call.prefix(4)) \(task.taskIdentifier)") }
            })
            let second = bed.session(recorder)
            try await eventually("all is told") { told.withLock(\.count) >= 12 }
            let expected = tasks.reversed().flatMap { ["file \($0.taskIdentifier)", "comp \($0.taskIdentifier)"] }
            #expect(told.withLock { $0 } == expected)
            second.invalidateAndCancel()
        }
    }

    @Test func `50 a file that was moved away already is not delivered again`() async throws {
        try await withOriginAndDaemon { bed, _, url in
            let first = bed.session(TransferWitness())
            let task = first.downloadTask(with: url)
            await bed.abandon(first)
            task.resume()
            try await bed.fixture.withClient { client in
                try await eventually("the download ends") {
                    try await client.transfers(.init()).transfers.contains { $0.state == .succeeded }
                }
                let path = try #require(await client.transfers(.init()).transfers.first?.destination)
                try FileManager.default.moveItem(atPath: path, toPath: bed.fixture.file("mine"))
            }
            let witness = TransferWitness()
            let second = bed.session(witness)
            #expect(try await witness.end(of: task).calls == ["metrics", "completed"])
            #expect(try FileDigest.sha256(bed.fixture.file("mine")) == Self.body.sha256Hex)
            second.invalidateAndCancel()
        }
    }

    @Test func `9 tasks of an earlier process end with a session that is invalidated before it has them`() async throws
    {
        let script = OriginScript(Self.body, always: .hold("never", at: .body(100_000)))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let first = bed.session(TransferWitness())
            let task = first.downloadTask(with: url)
            task.resume()
            await origin.waitForHold("never")
            await bed.abandon(first)
            let witness = TransferWitness()
            let second = bed.session(witness)
            second.invalidateAndCancel()
            #expect(try await witness.end(of: task).error?.code == .cancelled)
            try await eventually("the session ends") { second.delegate == nil }
            try await bed.fixture.withClient { client in
                let left = try await client.transfers(.init()).transfers
                #expect(left.isEmpty)
            }
        }
    }

    @Test func `7, 48 nobody waits forever for a daemon that cannot be had`() async throws {
        let bed = try BackgroundBed(environment: ["FERRYD": "/nowhere/ferryd"])
        let session = bed.session(TransferWitness())
        #expect(await session.allTasks.isEmpty)
        session.invalidateAndCancel()
        try await eventually(within: .seconds(60), "the session ends") { session.delegate == nil }
        await bed.stop()
    }

    @Test func `31 an upload's answer comes as data before its completion`() async throws {
        let script = OriginScript(Self.body, .on(.always, .status(201, body: "thanks")))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let file = bed.fixture.file("up")
            try Data(repeating: 7, count: 70_000).write(to: URL(fileURLWithPath: file))
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            let task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file))
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.calls == ["data", "metrics", "completed"] && story.data == Data("thanks".utf8))
            #expect((task.response as? HTTPURLResponse)?.statusCode == 201 && task.countOfBytesSent == 70_000)
            #expect(origin.requests.first?.method == "PUT")
            session.invalidateAndCancel()
        }
    }

    @Test func `43, 63 resume data of a background session work, once`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(300_000))))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("half has come") { task.countOfBytesReceived == 300_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            #expect(try await witness.end(of: task).error?.downloadTaskResumeData == data)
            let shown = NSTemporaryDirectory() + (try #require(ResumeData(data)).fileName)
            #expect(try Data(contentsOf: URL(fileURLWithPath: shown)).count == 300_000)
            // An app that moves the file away and back, as apps on Apple's systems do because `tmp` is cleaned there.
            try FileManager.default.copyItem(atPath: shown, toPath: shown + ".backup")
            try FileManager.default.removeItem(atPath: shown)
            try FileManager.default.moveItem(atPath: shown + ".backup", toPath: shown)
            let next = session.downloadTask(withResumeData: data)
            next.resume()
            let story = try await witness.end(of: next)
            #expect(story.digest == Self.body.sha256Hex && story.offsets == [300_000])
            #expect(!FileManager.default.fileExists(atPath: shown))
            try await eventually("the spool is empty") {
                try FileManager.default.contentsOfDirectory(atPath: bed.spool) == []
            }
            #expect(origin.requests.last?.value("If-Range") != nil)
            let again = session.downloadTask(withResumeData: data)
            again.resume()
            #expect(try await witness.end(of: again).error?.code == .cannotWriteToFile)
            session.invalidateAndCancel()
        }
    }

    @Test func `20, 62 a download with the fields of other libraries has resume data, and sends its password`()
        async throws
    {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(300_000))))
        try await withOriginAndDaemon(script) { bed, origin, url in
            let witness = TransferWitness()
            let session = bed.session(witness) { configuration in
                configuration.httpAdditionalHeaders = [
                    "Accept-Encoding": "br;q=1.0, gzip;q=0.9, deflate;q=0.8", "Authorization": "Bearer t",
                ]
            }
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("half has come") { task.countOfBytesReceived == 300_000 }
            let data = try #require(await task.cancelByProducingResumeData())
            let next = session.downloadTask(withResumeData: data)
            next.resume()
            #expect(try await witness.end(of: next).offsets == [300_000])
            #expect(origin.requests.allSatisfy { $0.value("Authorization") == "Bearer t" })
            session.invalidateAndCancel()
        }
    }

    /// A regression: the successor waited for the session, whose delegate was waiting for the successor.
    @Test func `10 a successor and a task of it may be made when a session becomes invalid`() async throws {
        try await withOriginAndDaemon { bed, _, url in
            let witness = TransferWitness()
            let made = Mutex<FerryURLSession.URLSessionDownloadTask?>(nil)
            let last = LastWish {
                let session = bed.session(witness)
                let task = session.downloadTask(with: url)
                task.resume()
                session.finishTasksAndInvalidate()
                made.withLock { $0 = task }
            }
            let first = bed.session(last)
            first.downloadTask(with: url).cancel()
            first.finishTasksAndInvalidate()
            try await eventually("a task is made") { made.withLock { $0 != nil } }
            let task = try #require(made.withLock { $0 })
            #expect(try await witness.end(of: task).digest == Self.body.sha256Hex)
            #expect(task.taskIdentifier == 2)
        }
    }

    @Test func `42 the handler of resume data may make and resume the next task`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(300_000))))
        try await withOriginAndDaemon(script) { bed, _, url in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("half has come") { task.countOfBytesReceived == 300_000 }
            let next = await withCheckedContinuation { made in
                task.cancel { data in
                    let next = session.downloadTask(withResumeData: data ?? Data())
                    next.resume()
                    made.resume(returning: next)
                }
            }
            let story = try await witness.end(of: next)
            #expect(story.digest == Self.body.sha256Hex && story.offsets == [300_000])
            // A background task accepts no delegate but `nil`, its current value.
            next.delegate = nil
            session.invalidateAndCancel()
        }
    }

    @Test func `46, 47 a session lives through the death of the daemon`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(100_000))))
        try await withOriginAndDaemon(script) { bed, _, url in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.downloadTask(with: url)
            task.resume()
            try await eventually("bytes have come") { task.countOfBytesReceived > 0 }
            try await bed.fixture.killDaemon()
            let other = session.downloadTask(with: url)
            other.resume()
            #expect(try await witness.end(of: other).digest == Self.body.sha256Hex)
            #expect(try await witness.end(of: task).digest == Self.body.sha256Hex)
            session.invalidateAndCancel()
        }
    }

    @Test func `8 a thousand tasks are known to the daemon as soon as they are made`() async throws {
        try await withOriginAndDaemon { bed, _, url in
            let session = bed.session(TransferWitness())
            let tasks = (0..<1000).map { _ in session.downloadTask(with: url) }
            #expect(await session.allTasks.count == tasks.count)
            try await bed.fixture.withClient { client in
                let known = try await client.sessions()
                #expect(known.first?.transfers["suspended"] == tasks.count)
            }
            session.invalidateAndCancel()
            try await eventually("the session ends") { session.delegate == nil }
        }
    }
}

/// Runs a closure once its session becomes invalid.
private final class LastWish: NSObject, URLSessionDelegate, Sendable {
    private let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) { self.act = act }

    func urlSession(_ session: FerryURLSession.URLSession, didBecomeInvalidWithError error: (any Error)?) { act() }
}
