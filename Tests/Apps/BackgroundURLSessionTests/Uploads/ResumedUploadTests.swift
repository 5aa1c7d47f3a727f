import FerryCore
import FerryTesting
import Foundation
import FoundationNetworking
import NIOCore
import Synchronization
import Testing

@testable import FerryURLSession

/// Uploads of in-process sessions.
@Suite(.timeLimit(.minutes(1))) struct `Upload tasks that resume` {
    private let content = Data(SeededBody(seed: 37, size: 300_000).bytes)

    /// Runs `body` with a session and a server with resumable uploads.
    private func withServer(
        _ behaviour: UploadBehaviour,
        _ body: (FerryURLSession.URLSession, UploadWitness, UploadServer) async throws -> Void
    ) async throws {
        let server = try await UploadServer.start(behaviour)
        let witness = UploadWitness()
        let session = FerryURLSession.URLSession(configuration: .ephemeral, delegate: witness, delegateQueue: nil)
        do { try await body(session, witness, server) } catch {
            session.invalidateAndCancel()
            await server.stop()
            throw error
        }
        session.invalidateAndCancel()
        await server.stop()
    }

    private func request(_ server: UploadServer) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: server.url())))
        request.httpMethod = "POST"
        return request
    }

    /// Returns a server that has part of the upload, then responds to everything with 503.
    private static func stuck(after bytes: Int64) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: bytes)]
        behaviour.always = .status(503)
        return behaviour
    }

    @Test func `an upload of data goes on after a cut, and its delegate sees how far it is`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 100_000)]
        try await withServer(behaviour) { session, witness, server in
            let task = session.uploadTask(with: try request(server), from: content)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.error == nil)
            #expect(String(decoding: story.data, as: UTF8.self) == "stored")
            #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content) == true)
            #expect(server.bytesReceived == 300_000)
            #expect(task.countOfBytesSent == 300_000 && story.sent.last == 300_000)
            #expect(story.informational == [104])
            #expect(story.methods == ["POST", "HEAD", "PATCH"])
        }
    }

    @Test func `a canceled upload goes on in another task, once`() async throws {
        try await withServer(Self.stuck(after: 100_000)) { session, witness, server in
            let task = session.uploadTask(with: try request(server), from: content)
            task.taskDescription = "mine"
            task.resume()
            try await eventually("the server was asked again") { server.requests.count > 1 }
            let data = try #require(await task.cancelByProducingResumeData())
            let error = try #require(try await witness.end(of: task).error)
            #expect(error.code == .cancelled && error.uploadTaskResumeData == data)
            #expect(error.downloadTaskResumeData == nil)
            server.behave { $0.always = nil }
            let next = session.uploadTask(withResumeData: data)
            #expect(next.taskDescription == "mine" && next.originalRequest?.httpMethod == "POST")
            next.resume()
            let story = try await witness.end(of: next)
            #expect(story.error == nil)
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content) == true)
            #expect(server.bytesReceived == 300_000)
            let third = session.uploadTask(withResumeData: data)
            third.resume()
            #expect(try await witness.end(of: third).error?.code == .unknown)
        }
    }

    @Test func `an awaited upload resumes with the resume data of a failure`() async throws {
        try await withServer(Self.stuck(after: 100_000)) { session, _, server in
            var request = try request(server)
            request.timeoutInterval = 0.2
            let failure = await #expect(throws: URLError.self) {
                try await session.upload(for: request, from: content)
            }
            let data = try #require(failure?.uploadTaskResumeData)
            server.behave { $0.always = nil }
            let (answer, response) = try await session.upload(resumeFrom: data)
            #expect(String(decoding: answer, as: UTF8.self) == "stored")
            #expect((response as? HTTPURLResponse)?.statusCode == 201)
            #expect(server.bytesReceived == 300_000)
            let used = await #expect(throws: URLError.self) { try await session.upload(resumeFrom: data) }
            #expect(used?.code == .unknown)
        }
    }

    @Test func `a server without support gets no second request, and leaves no resume data`() async throws {
        var behaviour = Self.stuck(after: 100_000)
        behaviour.resumes = false
        try await withServer(behaviour) { session, _, server in
            let failure = await #expect(throws: URLError.self) {
                try await session.upload(for: try request(server), from: content)
            }
            #expect(failure?.code == .networkConnectionLost)
            #expect(failure?.uploadTaskResumeData == nil)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a file that has changed since its resume data were made is not sent`() async throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.file("up"))
        try content.write(to: file)
        try await withServer(Self.stuck(after: 100_000)) { session, witness, server in
            let task = session.uploadTask(with: try request(server), fromFile: file)
            task.resume()
            try await eventually("the server was asked again") { server.requests.count > 1 }
            let data = try #require(await task.cancelByProducingResumeData())
            var other = content
            other[200_000] ^= 1
            try other.write(to: file)
            server.behave { $0.always = nil }
            let next = session.uploadTask(withResumeData: data)
            next.resume()
            #expect(try await witness.end(of: next).error?.code == .requestBodyStreamExhausted)
            #expect(server.completed.isEmpty)
        }
    }

    @Test func `resume data that are torn or of a download end the task`() async throws {
        try await withServer(Self.stuck(after: 100_000)) { session, witness, server in
            let task = session.uploadTask(with: try request(server), from: content)
            task.resume()
            try await eventually("the server was asked again") { server.requests.count > 1 }
            let data = try #require(await task.cancelByProducingResumeData())
            let text = String(decoding: data, as: UTF8.self)
            let bad = [
                Data(), Data("no list".utf8), data.prefix(data.count / 2),
                Data(text.replacing("FerryUploadResumeFormat", with: "FerryResumeFormat").utf8),
                Data(text.replacing("<string>upload-", with: "<string>../upload-").utf8),
                Data(text.replacing("\"resource\"", with: "\"source\"").utf8),
            ]
            for data in bad {
                let next = session.uploadTask(withResumeData: data)
                next.resume()
                #expect(try await witness.end(of: next).error?.code == .unknown)
            }
            let download = session.downloadTask(withResumeData: data)
            download.resume()
            #expect(try await witness.end(of: download).error?.code == .cannotWriteToFile)
        }
    }
}

/// Uploads of background sessions.
@Suite(.timeLimit(.minutes(2))) struct `Background uploads that resume` {
    private let content = Data(SeededBody(seed: 38, size: 3 << 20).bytes)

    private func withServer(
        _ behaviour: UploadBehaviour,
        _ body: (BackgroundBed, UploadServer, URLRequest, URL) async throws -> Void
    ) async throws {
        let server = try await UploadServer.start(behaviour)
        do {
            try await withBackground { bed in
                let file = URL(fileURLWithPath: bed.fixture.file("up"))
                try content.write(to: file)
                var request = URLRequest(url: try #require(URL(string: server.url())))
                request.httpMethod = "POST"
                try await body(bed, server, request, file)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func `an upload that is cut twice goes on where the server stopped`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 1 << 20), 3: .cut(afterBytes: 1 << 20)]
        try await withServer(behaviour) { bed, server, request, file in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.uploadTask(with: request, fromFile: file)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.error == nil && String(decoding: story.data, as: UTF8.self) == "stored")
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content) == true)
            #expect(server.bytesReceived == 3 << 20)
            #expect(task.countOfBytesSent == 3 << 20)
            session.invalidateAndCancel()
        }
    }

    /// A server without resumable uploads: losing the connection a second time does not fail the task either.
    @Test func `an upload to a server without support begins again`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.resumes = false
        for number in 1...3 { behaviour.faults[number] = .cut(afterBytes: 1 << 20) }
        try await withServer(behaviour) { bed, server, request, file in
            let witness = TransferWitness()
            let session = bed.session(witness)
            // A `POST` may have been carried out if the socket took all of it before the connection was lost. It is not
            // repeated.
            var request = request
            request.httpMethod = "PUT"
            let task = session.uploadTask(with: request, fromFile: file)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.error == nil)
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content) == true)
            #expect(server.requests.map(\.method) == ["PUT", "PUT", "PUT", "PUT"])
            session.invalidateAndCancel()
        }
    }

    @Test func `a restarted daemon asks the server for its offset, and sends the rest`() async throws {
        try await withServer(UploadBehaviour()) { bed, server, request, file in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.uploadTask(with: request, fromFile: file)
            task.bytesPerSecondLimit = 2 << 20
            task.resume()
            for part in 1...2 {
                try await server.wait(forBytes: Int64(part) << 20)
                try await bed.fixture.killDaemon()
            }
            let story = try await witness.end(of: task)
            #expect(story.error == nil && String(decoding: story.data, as: UTF8.self) == "stored")
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content) == true)
            #expect(server.bytesReceived == 3 << 20)
            #expect(server.requests.map(\.method).filter { $0 == "PATCH" }.count >= 2)
            session.invalidateAndCancel()
        }
    }

    @Test func `resume data of a background upload work, once, and in a session of the app too`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 1 << 20)]
        behaviour.always = .cut(afterBytes: 0)
        try await withServer(behaviour) { bed, server, request, file in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.uploadTask(with: request, fromFile: file)
            task.resume()
            try await eventually("the server was asked again") { server.requests.count > 1 }
            let data = try #require(await task.cancelByProducingResumeData())
            #expect(try await witness.end(of: task).error?.uploadTaskResumeData == data)
            let next = session.uploadTask(withResumeData: data)
            next.resume()
            try await eventually("the server was asked again") { server.requests.count > 3 }
            let again = try #require(await next.cancelByProducingResumeData())
            // The client did not ask the server to discard the upload.
            #expect(!server.requests.contains { $0.method == "DELETE" })
            server.behave { $0.always = nil }
            let app = FerryURLSession.URLSession(configuration: .ephemeral)
            let (answer, _) = try await app.upload(resumeFrom: again)
            #expect(String(decoding: answer, as: UTF8.self) == "stored")
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content) == true)
            #expect(server.bytesReceived == 3 << 20)
            let used = session.uploadTask(withResumeData: data)
            used.resume()
            #expect(try await witness.end(of: used).error?.code == .unknown)
            app.invalidateAndCancel()
            session.invalidateAndCancel()
        }
    }

    @Test func `a canceled upload is given up at the server`() async throws {
        try await withServer(UploadBehaviour()) { bed, server, request, file in
            let witness = TransferWitness()
            let session = bed.session(witness)
            let task = session.uploadTask(with: request, fromFile: file)
            task.bytesPerSecondLimit = 1 << 20
            task.resume()
            try await server.wait(forBytes: 100_000)
            task.cancel()
            #expect(try await witness.end(of: task).error?.code == .cancelled)
            try await eventually("the upload is given up") { server.requests.last?.method == "DELETE" }
            #expect(server.requests.last?.path == "/uploads/1")
            session.invalidateAndCancel()
        }
    }
}

/// Records the calls of an upload task's delegate.
private final class UploadWitness: NSObject, FerryURLSession.URLSessionDataDelegate,
    FerryURLSession.URLSessionDownloadDelegate, Sendable
{
    struct Story: Sendable {
        var data = Data()
        var sent: [Int64] = []
        var informational: [Int] = []
        var methods: [String] = []
        var error: URLError?
        var isOver = false
    }

    private let state = Mutex<[Int: Story]>([:])

    /// Waits until the task has completed.
    func end(of task: FerryURLSession.URLSessionTask) async throws -> Story {
        let number = task.taskIdentifier
        try await eventually("task \(number) completes") { state.withLock { $0[number]?.isOver == true } }
        return state.withLock { $0[number] ?? Story() }
    }

    private func note(_ task: FerryURLSession.URLSessionTask, _ change: (inout Story) -> Void) {
        state.withLock { change(&$0[task.taskIdentifier, default: Story()]) }
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, dataTask: FerryURLSession.URLSessionDataTask, didReceive data: Data
    ) { note(dataTask) { $0.data += data } }

    func urlSession(
        _ session: FerryURLSession.URLSession, downloadTask: FerryURLSession.URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) { note(task) { $0.sent.append(totalBytesSent) } }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) { note(task) { $0.informational.append(response.statusCode) } }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        didFinishCollecting metrics: FerryURLSession.URLSessionTaskMetrics
    ) { note(task) { $0.methods = metrics.transactionMetrics.compactMap { $0.request.httpMethod } } }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        note(task) { story in
            story.error = error as? URLError
            story.isOver = true
        }
    }
}
