import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

private typealias URLSession = FerryURLSession.URLSession
private typealias URLSessionStreamTask = FerryURLSession.URLSessionStreamTask

@Suite(.timeLimit(.minutes(1))) struct `A stream task` {
    private static let body = SeededBody(seed: 9, size: 200_000)

    private func withStream(
        tls: TLSFault? = nil, accepts: Bool = true, port: Int? = nil,
        _ run: (URLSessionStreamTask, StreamWitness, ScriptedOrigin) async throws -> Void
    ) async throws {
        try await withOrigin(OriginScript(Self.body), tls: tls) { origin in
            let witness = StreamWitness(accepts: accepts)
            let session = URLSession(configuration: .ephemeral, delegate: witness, delegateQueue: nil)
            let task = session.streamTask(withHostName: "127.0.0.1", port: port ?? origin.port)
            task.resume()
            try await run(task, witness, origin)
            session.invalidateAndCancel()
        }
    }

    private static func request(_ path: String) -> Data {
        Data("GET \(path) HTTP/1.1\r\nHost: stream\r\nConnection: close\r\n\r\n".utf8)
    }

    /// Reads up to the end.
    private func rest(_ task: URLSessionStreamTask) async throws -> Data {
        var all = Data()
        while true {
            let (data, isAtEnd) = try await task.readData(ofMinLength: 1, maxLength: 50_000, timeout: 0)
            all.append(data ?? Data())
            if isAtEnd { return all }
        }
    }

    @Test func `sends and receives, and completes once both sides are closed`() async throws {
        try await withStream { task, witness, _ in
            try await task.write(Self.request("/a"), timeout: 10)
            let (first, isAtEnd) = try await task.readData(ofMinLength: 12, maxLength: 12, timeout: 10)
            #expect(first == Data("HTTP/1.1 200".utf8) && !isAtEnd)
            let answer = try await rest(task)
            #expect(answer.suffix(Int(Self.body.size)).elementsEqual(Self.body.bytes))
            #expect(task.countOfBytesReceived == Int64(answer.count + 12) && task.countOfBytesSent > 0)
            task.closeWrite()
            try await witness.calls.wait(for: "completed none")
            #expect(witness.calls.all.contains("read closed"))
            #expect(witness.calls.all.contains("write closed") && task.state == .completed)
        }
    }

    @Test(arguments: [TLSFault.trusted, .withoutTLS13])
    func `becomes secure, and its delegate decides about the certificates`(tls: TLSFault) async throws {
        try await withStream(tls: tls) { task, witness, _ in
            task.startSecureConnection()
            try await task.write(Self.request("/a"), timeout: 10)
            #expect(try await rest(task).suffix(Int(Self.body.size)).elementsEqual(Self.body.bytes))
            #expect(witness.calls.all.contains("trust"))
        }
    }

    @Test func `fails with a certificate that is not trusted`() async throws {
        try await withStream(tls: .selfSigned, accepts: false) { task, witness, origin in
            task.startSecureConnection()
            let error = await #expect(throws: URLError.self) { try await task.write(Self.request("/a"), timeout: 0) }
            #expect(error?.code == .serverCertificateUntrusted)
            try await witness.calls.wait(for: "completed -1202")
            #expect(origin.requests.isEmpty)
        }
    }

    /// Plain bytes before a handshake may be an attacker's (CVE-2011-0411).
    @Test func `does not become secure while plain bytes are unread`() async throws {
        try await withStream { task, witness, _ in
            try await task.write(Self.request("/a"), timeout: 10)
            _ = try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 10)
            task.startSecureConnection()
            try await witness.calls.wait(for: "completed -1200")
        }
    }

    @Test func `a read that takes too long fails alone`() async throws {
        try await withStream { task, _, _ in
            let error = await #expect(throws: URLError.self) {
                try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 0.05)
            }
            #expect(error?.code == .timedOut)
            try await task.write(Self.request("/a"), timeout: 10)
            let (data, _) = try await task.readData(ofMinLength: 4, maxLength: 4, timeout: 10)
            #expect(data == Data("HTTP".utf8))
        }
    }

    @Test func `a read that times out before there is a connection takes no bytes`() async throws {
        try await withOrigin(OriginScript(Self.body)) { origin in
            let session = URLSession(configuration: .ephemeral)
            let task = session.streamTask(withHostName: "127.0.0.1", port: origin.port)
            let error = await #expect(throws: URLError.self) {
                try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 0.05)
            }
            #expect(error?.code == .timedOut)
            task.resume()
            try await task.write(Self.request("/a"), timeout: 10)
            let (data, _) = try await task.readData(ofMinLength: 4, maxLength: 4, timeout: 10)
            #expect(data == Data("HTTP".utf8))
            task.cancel()
            session.finishTasksAndInvalidate()
        }
    }

    @Test func `steps called on several threads do not wait for each other`() async throws {
        try await withStream(tls: .trusted) { task, witness, _ in
            await withTaskGroup { group in
                for _ in 0..<20 { group.addTask { task.startSecureConnection() } }
            }
            try await task.write(Self.request("/a"), timeout: 10)
            #expect(try await rest(task).suffix(Int(Self.body.size)).elementsEqual(Self.body.bytes))
            #expect(witness.calls.all.count { $0 == "trust" } == 1)
        }
    }

    @Test func `a canceled task ends its calls and itself with -999`() async throws {
        try await withStream { task, witness, _ in
            try await task.write(Data("G".utf8), timeout: 0)
            async let read = task.readData(ofMinLength: 1, maxLength: 10, timeout: 0)
            task.cancel()
            do {
                _ = try await read
                Issue.record("A read of a canceled task has no result.")
            } catch {
                #expect((error as? URLError)?.code == .cancelled)
            }
            try await witness.calls.wait(for: "completed -999")
        }
    }

    @Test func `calls of a task that has completed fail`() async throws {
        try await withStream { task, witness, _ in
            task.cancel()
            try await witness.calls.wait(for: "completed -999")
            let read = await #expect(throws: URLError.self) {
                try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 0)
            }
            let write = await #expect(throws: URLError.self) { try await task.write(Data(), timeout: 0) }
            #expect(read?.code == .cancelled && write?.code == .cancelled)
        }
    }

    @Test(arguments: [0, 70_000])
    func `an impossible port is an error`(port: Int) async throws {
        try await withStream(port: port) { _, witness, _ in
            try await witness.calls.wait(for: "completed")
            #expect(witness.calls.all.last == "completed -1000")
        }
    }

    @Test func `is captured as two streams`() async throws {
        try await withStream { task, witness, _ in
            try await task.write(Self.request("/a"), timeout: 10)
            task.captureStreams()
            try await witness.calls.wait(for: "captured")
            let received = await withCheckedContinuation { done in
                DispatchQueue.global().async { done.resume(returning: witness.readAll()) }
            }
            #expect(received.suffix(Int(Self.body.size)).elementsEqual(Self.body.bytes))
            #expect(task.state == .completed && !witness.calls.all.contains { $0.hasPrefix("completed") })
        }
    }

    @Test func `bound streams pass bytes on, and hold the writer back`() async throws {
        var (input, output): (InputStream?, OutputStream?)
        Stream.getBoundStreams(withBufferSize: 4, inputStream: &input, outputStream: &output)
        let (reader, writer) = (UnsafeTransfer(try #require(input)), UnsafeTransfer(try #require(output)))
        let received = await withCheckedContinuation { (done: CheckedContinuation<[UInt8], Never>) in
            DispatchQueue.global().async {
                writer.value.open()
                var rest = Array("twelve bytes".utf8)
                while !rest.isEmpty { rest.removeFirst(max(0, unsafe writer.value.write(rest, maxLength: rest.count))) }
                writer.value.close()
            }
            DispatchQueue.global().async {
                reader.value.open()
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 5)
                while case let count = unsafe reader.value.read(&buffer, maxLength: 5), count > 0 {
                    all += buffer[..<count]
                }
                done.resume(returning: all)
            }
        }
        #expect(received == Array("twelve bytes".utf8))
    }
}

/// Records the calls of a stream task.
private final class StreamWitness: NSObject, FerryURLSession.URLSessionStreamDelegate {
    let calls = Calls()
    private let accepts: Bool
    private let streams = Mutex<UnsafeTransfer<(InputStream, OutputStream)>?>(nil)

    init(accepts: Bool) { self.accepts = accepts }

    func readAll() -> Data {
        guard let (input, output) = streams.withLock({ $0 })?.value else { return Data() }
        input.open()
        output.open()
        var all = Data()
        var buffer = [UInt8](repeating: 0, count: 10_000)
        while case let count = unsafe input.read(&buffer, maxLength: buffer.count), count > 0 {
            all.append(contentsOf: buffer[..<count])
        }
        input.close()
        output.close()
        return all
    }

    func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) { calls.add("read closed") }
    func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
        calls.add("write closed")
    }

    func urlSession(
        _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
        outputStream: OutputStream
    ) {
        let pair = UnsafeTransfer((inputStream, outputStream))
        streams.withLock { $0 = pair }
        calls.add("captured")
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        calls.add("trust")
        completionHandler(accepts ? .useCredential : .performDefaultHandling, accepts ? .serverTrustAccepted : nil)
    }

    func urlSession(
        _ session: URLSession, task: FerryURLSession.URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let code = (error as? URLError)?.code.rawValue
        calls.add("completed \(code.map { "\($0)" } ?? error?.localizedDescription ?? "none")")
    }
}

/// The calls of a delegate, in order.
private final class Calls: Sendable {
    private let calls = Mutex<[String]>([])

    var all: [String] { calls.withLock { $0 } }

    func add(_ call: String) { calls.withLock { $0.append(call) } }

    /// Waits for a call that begins with a text.
    func wait(for text: String) async throws {
        try await eventually("\(text) in \(all)") { all.contains { $0.hasPrefix(text) } }
    }
}
