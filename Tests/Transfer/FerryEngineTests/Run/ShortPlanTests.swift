import FerryCore
import FerryRules
import FerryTesting
import Foundation
import Logging
import NIOCore
import Testing

@testable import FerryEngine

@Suite struct `Plans of attempts at short responses` {
    private struct Variant: CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout TransferJob) -> Void

        init(_ testDescription: String, _ change: @escaping @Sendable (inout TransferJob) -> Void) {
            (self.testDescription, self.change) = (testDescription, change)
        }
    }

    private let configuration = Engine.Configuration(
        disk: FaultyDisk(), environment: [:], logger: Logger(label: "test"))

    private func job(_ change: (inout TransferJob) -> Void = { _ in }) -> TransferJob {
        let request = TransferRequest(url: "http://host.example:81/folder/a.bin?b=c", folder: "/folder")
        let record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Date(), request: request, credentials: nil)
        var job = TransferJob(record, gate: RateGate([], priority: .normal), progress: TransferProgress())
        (job.expectsShortResponse, job.mayHaveLeftovers) = (true, false)
        job.facts.startedAt = Date()
        change(&job)
        return job
    }

    private func plan(_ change: (inout TransferJob) -> Void = { _ in }) -> ShortPlan? {
        ShortPlan(job(change), configuration)
    }

    private func facts(
        _ head: String, body: String = "hello", trailers: [HeaderField] = [],
        _ change: (inout TransferJob) -> Void = { _ in }
    ) throws -> TransferFacts? {
        let job = job(change)
        let plan = try #require(ShortPlan(job, configuration))
        let text = "HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let head = try #require(UnambiguousHead(Array(text.utf8)))
        let response = ReceivedResponse(head: ReceivedHead(head), body: ByteBuffer(string: body), trailers: trailers)
        return plan.facts(of: response, RunOptions(job.request))?.wrappedValue
    }

    @Test func `have the request of any first attempt`() throws {
        let plan = try #require(plan { $0.request.headers = [HeaderField(name: "X-Own", value: "1")] })
        let bytes = plan.head.bytes(with: nil, ByteBufferAllocator())
        let lines = String(buffer: bytes).components(separatedBy: "\r\n")
        #expect(lines.first == "GET /folder/a.bin?b=c HTTP/1.1")
        #expect(lines.contains("Host: host.example:81") && lines.contains("X-Own: 1"))
        #expect(lines.suffix(2) == ["", ""])
    }

    private static let others = [
        Variant("one that expects no short response") { $0.expectsShortResponse = false },
        Variant("a later attempt") { $0.mayHaveLeftovers = true },
        Variant("bytes on disk") { $0.facts.ranges.insert(0..<1) },
        Variant("a chosen name") { $0.facts.name = "a" },
        Variant("credentials") { $0.credentials = Credentials(user: "user", password: "password") },
        Variant("a file to update") {
            $0.existing = ExistingFile(
                placement: PlacementIntent(path: "/a", device: 1, inode: 1, size: 1, verified: []),
                identity: ResourceIdentity(origin: Origin(scheme: "http", host: "a", port: 80)))
        },
        Variant("a limited rate") {
            let limiter = RateLimiter()
            limiter.rate = 1000
            $0.gate = RateGate([limiter], priority: .normal)
        },
        Variant("TLS that is not verified") { $0.request.tls.insecure = true },
        Variant("TLS for any host") { $0.request.tls.skipsHostVerification = true },
        Variant("a version of TLS") { $0.request.tls.minimumVersion = .v1_3 },
        Variant("a user in the URL") { $0.request.url = "http://user@host.example/a" },
        Variant("no URL") { $0.request.url = "a" },
        Variant("a mirror") { $0.request.mirrors = ["http://other.example/a"] },
        Variant("another method") { $0.request.method = "POST" },
        Variant("a body") { $0.request.body = .bytes(Data("a".utf8)) },
        Variant("a range") { $0.request.headers = [HeaderField(name: "Range", value: "bytes=0-1")] },
        Variant("a condition") { $0.request.headers = [HeaderField(name: "If-Match", value: "\"a\"")] },
        Variant("a coding") { $0.request.headers = [HeaderField(name: "Accept-Encoding", value: "gzip")] },
        Variant("a folder of its own for partial files") { $0.request.file.partialFolder = "/partial" },
        Variant("a spooled file") { $0.request.file.spooled = true },
        Variant("any status") { $0.request.response.statusPolicy = .any },
        Variant("acceptable statuses") { $0.request.response.acceptableStatuses = .success },
        Variant("a minimum speed") { $0.request.timing.minSpeed = 1 },
        Variant("a limited time for connecting") { $0.request.timing.connectTimeout = 1 },
        Variant("a proxy") { $0.request.transport.proxyEnvironment = ["http_proxy": "http://proxy.example:1"] },
    ]

    @Test(arguments: others)
    private func `are not made for whatever needs more`(other: Variant) {
        #expect(plan() != nil)
        #expect(plan(other.change) == nil)
    }

    @Test func `leave a response with digests in its trailers to a run`() throws {
        let digest = HeaderField(name: "Content-Digest", value: "sha-256=:\(Data(count: 32).base64EncodedString()):")
        #expect(try facts("200 OK", trailers: [HeaderField(name: "X-Other", value: "a")]) != nil)
        #expect(try facts("200 OK", trailers: [digest]) == nil)
    }

    @Test func `take what is recorded from the response`() throws {
        let facts = try #require(
            try facts("200 OK\r\nETag: \"a\"\r\nContent-Disposition: attachment; filename=\"b.desktop\""))
        #expect(facts.name == "b.desktop" && facts.identity?.etag == "\"a\"" && facts.identity?.completeLength == 5)
        #expect(facts.finalURL == "http://host.example:81/folder/a.bin?b=c" && facts.redirects.isEmpty)
        #expect(facts.notes == ["a desktop may run this file when it is opened"] && !facts.rangesOff)
        #expect(try self.facts("200 OK")?.rangesOff == true)
    }

    @Test(arguments: [
        "404 Not Found", "500 Error", "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"", "206 Partial Content",
        "302 Found\r\nLocation: /b", "300 Multiple Choices", "202 Accepted\r\nRetry-After: 1",
        "200 OK\r\nContent-Digest: sha-256=:AAAA:", "206 Partial Content\r\nContent-Range: bytes 0-4/9",
    ])
    func `leave other responses to the general run`(head: String) throws {
        #expect(try facts(head) == nil)
    }

    @Test func `leave responses that the request turns down to the general run`() throws {
        #expect(try facts("200 OK") { $0.request.response.maxSize = 4 } == nil)
        #expect(try facts("200 OK") { $0.request.response.expectedSize = 6 } == nil)
        #expect(try facts("200 OK") { $0.request.timing.retryRule = RetryRule(statusCodes: [200]) } == nil)
        let coded = "200 OK\r\nContent-Encoding: gzip"
        #expect(try facts(coded) { $0.request.response.decode = true } == nil)
        #expect(try facts(coded)?.notes.isEmpty == false)
    }
}
