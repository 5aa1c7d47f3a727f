import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Uploads of a client's transfers` {
    private let content = SeededBody(seed: 95, size: 700_000)

    private func sent(_ path: String) throws -> RequestBody {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { throw CocoaError(.fileNoSuchFile) }
        let modified = Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
        return .file(RequestBody.SentFile(path: path, size: Int64(facts.st_size), modified: modified))
    }

    private func file(_ harness: EngineHarness) throws -> String {
        let path = harness.outside.file("upload")
        try Data(content.bytes).write(to: URL(filePath: path))
        return path
    }

    @Test(arguments: ["POST", "PUT"]) func `31 a file is sent and the answer is the file`(method: String) async throws {
        try await withClient(OriginScript(always: .status(201, body: "made"))) { harness, origin in
            let body = try sent(file(harness))
            let job = TransferProgress()
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.method = method
                    $0.body = body
                }
            ) { $0.progress = job }
            #expect(history.success?.size == 4, "\(history.errors)")
            #expect(origin.requests.last?.body == content.bytes)
            #expect(origin.requests.last?.value("Content-Length") == "\(content.size)")
            #expect(history.facts.sending.sent == content.size)
            #expect(job.sent.load(ordering: .relaxed) == content.size)
            #expect(history.facts.exchanges?.last?.requestBodyBytes == content.size)
        }
    }

    @Test func `31 a changed file is not sent`() async throws {
        try await withClient(OriginScript()) { harness, origin in
            let path = try file(harness)
            let body = try sent(path)
            try Data("else".utf8).write(to: URL(filePath: path))
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.method = "PUT"
                    $0.body = body
                })
            #expect(history.failure?.code == .fileChanged)
            #expect(ErrorCode.fileChanged.row.urlError == -1021)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [("none", -1100), ("", -1101)]) func `31 files that cannot be sent have codes of their own`(
        name: String, code: Int
    ) async throws {
        try await withClient(OriginScript()) { harness, origin in
            let path = name.isEmpty ? harness.outside.path : harness.outside.file(name)
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.method = "PUT"
                    $0.body = .file(RequestBody.SentFile(path: path, size: 1, modified: 0))
                })
            #expect(history.failure?.details.urlError == code)
        }
    }

    @Test func `31 a broken upload of an idempotent method is sent again`() async throws {
        let script = OriginScript(rules: [
            .on(.requestNumbers(1..<2), .closeBeforeHead), .always(.status(200, body: "ok")),
        ])
        try await withClient(script) { harness, origin in
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.method = "PUT"
                    $0.body = .bytes(Data(content.bytes))
                })
            #expect(history.success != nil, "\(history.errors)")
            #expect(origin.requests.count == 2)
            #expect(origin.requests.allSatisfy { $0.body == content.bytes })
        }
    }

    @Test func `31 a request that was sent whole is not sent again by a method that forbids it`() async throws {
        try await withClient(OriginScript(always: .closeBeforeHead)) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.method = "POST"
                $0.body = .bytes(Data(content.bytes))
            }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .connectionLost)
            #expect(history.failure?.errorClass == .final)
            #expect(origin.requests.count == 1)
            let again = await harness.transfer(request, from: history.facts)
            #expect(again.failure?.code == .connectionLost)
            #expect(origin.requests.count == 1)
        }
    }

    /// An empty body has nothing left to send, even if nothing was sent.
    @Test func `31 a request with an empty body that never left is made again`() async throws {
        try await withClient(OriginScript(always: .status(201, body: "made"))) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.method = "POST"
                $0.body = .bytes(Data())
            }
            await origin.refuseConnections()
            let refused = await harness.transfer(request, tries: 1)
            #expect(refused.codes == [.connectFailed])
            #expect(refused.errors.first?.errorClass != .final)
            try await origin.acceptConnections()
            let history = await harness.transfer(request, from: refused.facts)
            #expect(history.facts.response?.status == 201, "\(history.errors)")
            #expect(origin.requests.map(\.method) == ["POST"])
        }
    }

    /// A regression: a success that came before the file was read, on a connection that then closed, was the upload's.
    @Test(arguments: ["PUT", "POST"], [false, true])
    func `31 a success counts only once all is sent`(method: String, hasText: Bool) async throws {
        let text = hasText ? "stored" : ""
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        for closes in [true, false] {
            try await withRawServer(answering: answer, closes: closes) { port in
                try await withEngine { harness in
                    let path = harness.outside.file("upload")
                    try #require(FileManager.default.createFile(atPath: path, contents: Data(count: 30 << 20)))
                    let body = try sent(path)
                    let history = await harness.transfer(
                        harness.task("http://127.0.0.1:\(port)/") {
                            $0.method = method
                            $0.body = body
                            $0.timing.retries = 0
                        }, tries: 1)
                    if closes {
                        #expect(history.success == nil)
                        #expect(history.codes == [.connectionLost], "\(history.errors)")
                    } else {
                        #expect(history.success?.size == Int64(text.utf8.count), "\(history.errors)")
                        #expect(history.facts.sending.sent == 30 << 20)
                    }
                }
            }
        }
    }

    /// A regression: with its modification time set back, a changed file was sent in the middle of an upload.
    @Test func `31 a change is noticed even if its time was set back`() async throws {
        try await withClient(OriginScript()) { harness, origin in
            let path = try file(harness)
            var facts = stat()
            try #require(unsafe stat(path, &facts) == 0)
            let given = RequestBody.SentFile(
                path: path, size: Int64(facts.st_size),
                modified: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec),
                changed: Int64(facts.st_ctim.tv_sec) * 1_000_000_000 + Int64(facts.st_ctim.tv_nsec))
            try await eventually("the clock of the file system has advanced") {
                try Data(repeating: 9, count: content.bytes.count).write(to: URL(filePath: path), options: [])
                var now = stat()
                _ = unsafe stat(path, &now)
                return now.st_ctim.tv_nsec != facts.st_ctim.tv_nsec || now.st_ctim.tv_sec != facts.st_ctim.tv_sec
            }
            let times = [facts.st_atim, facts.st_mtim]
            try #require(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.method = "PUT"
                    $0.body = .file(given)
                })
            #expect(history.failure?.code == .fileChanged, "\(history.errors)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `31 a request that must not be repeated is recorded before it is sent`() async throws {
        try await withClient(OriginScript(always: .hold("answer", at: .head))) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.method = "POST"
                $0.body = .bytes(Data("amount=100".utf8))
            }
            let run = harness.makeRun(harness.job(request))
            async let report = run.run()
            await origin.waitForHold("answer")
            #expect(harness.journal.facts.sending.mayHaveArrived)
            // As after a kill: the next attempt has only what the journal has.
            let again = await harness.transfer(request, from: harness.journal.facts)
            #expect(again.failure?.errorClass == .final && origin.requests.count == 1, "\(again.errors)")
            await run.stop()
            #expect(await report.facts.sending.mayHaveArrived)
            origin.release("answer")
        }
    }

    @Test func `31 a request that never left may be repeated`() async throws {
        try await withClient(OriginScript(always: .status(201, body: "made"))) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.method = "POST"
                $0.body = .bytes(Data("amount=100".utf8))
            }
            await origin.refuseConnections()
            let refused = await harness.transfer(request, tries: 1)
            #expect(refused.codes == [.connectFailed] && !refused.facts.sending.mayHaveArrived)
            try await origin.acceptConnections()
            let history = await harness.transfer(request, from: refused.facts)
            #expect(history.success != nil, "\(history.errors)")
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [true, false]) func `31 an answer over the limit is too large`(isChunked: Bool) async throws {
        let rules: [OriginRule] = isChunked ? [.always(.chunked)] : []
        try await withClient(OriginScript(SeededBody(seed: 1, size: 20_000), rules: rules)) { harness, origin in
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.method = "PUT"
                    $0.body = .bytes(Data("x".utf8))
                    $0.response.maxSize = 10_000
                })
            #expect(history.failure?.code == .tooLarge)
            #expect(history.failure?.code.row.urlError == -1103)
        }
    }

    @Test func `25 a body is sent again after a challenge`() async throws {
        try await withClient(OriginScript(always: .basic(user: "u", password: "p"))) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.method = "POST"
                $0.body = .bytes(Data(content.bytes))
            }
            let history = await harness.transfer(request, credentials: Credentials(user: "u", password: "p")) {
                $0.advisor = TestAdvisor()
            }
            #expect(history.facts.response?.status == 200)
            #expect(origin.requests.map(\.body) == [content.bytes, content.bytes])
        }
    }
}
