import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Digests that differ` {
    private let body = SeededBody(seed: 55, size: 300_000)
    private let other = SeededBody(seed: 56, size: 300_000)

    @Test(arguments: DigestAlgorithm.allCases)
    func `V2 under keep the file is placed, and its digest is reported`(algorithm: DigestAlgorithm) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.response.checksums = [other.checksum(algorithm)]
                $0.response.onMismatch = .keep
            }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(history.success?.mismatched == [body.checksum(algorithm)])
            #expect(history.success?.verified == [])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `V2 under keep those that agree are verified`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.response.checksums = [body.checksum(.sha256), other.checksum(.md5)]
                $0.response.onMismatch = .keep
            }
            let success = await harness.transfer(request).success
            #expect(success?.verified == [body.checksum(.sha256)])
            #expect(success?.mismatched == [body.checksum(.md5)])
        }
    }

    @Test func `V2 under fail the error has both digests, and an older file stays`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            let request = harness.request(origin.url()) {
                $0.response.checksums = [other.checksum(.sha1)]
                $0.file.onConflict = .replace
            }
            let failure = await harness.transfer(request).failure
            #expect(failure?.code == .digestMismatch)
            #expect(failure?.details.expected == other.checksum(.sha1))
            #expect(failure?.details.actual == body.checksum(.sha1))
            #expect(harness.text("file.bin") == "old")
            #expect(harness.contents == ["file.bin"])
        }
    }

    @Test func `S9 under keep a digest joins no bytes of two versions`() async throws {
        let script = OriginScript(
            body, .always(.etag(nil), .lastModified(nil)), .on(.request(1), .cut(after: 150_000)),
            .on(.requests(2...), .version(other), .etag(nil)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.response.checksums = [body.checksum(.sha256)]
                $0.response.onMismatch = .keep
            }
            let history = await harness.transfer(request)
            try harness.expectFile(history, other)
            #expect(history.success?.mismatched == [other.checksum(.sha256)])
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
        }
    }

    @Test func `O41 under keep a file that is not what the server stated is not placed`() async throws {
        try await withEngine(OriginScript(body, always: .digest(.repr, .wrong))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.response.onMismatch = .keep })
            #expect(history.failure?.code == .digestMismatch)
            #expect(harness.contents == [])
        }
    }

    @Test(arguments: [MismatchPolicy.keep, .fail])
    func `V2 a digest that is requested midway is checked over the whole file`(policy: MismatchPolicy) async throws {
        let script = OriginScript(body, always: .hold("middle", at: .body(150_000)))
        try await withEngine(script) { harness, origin in
            var request = harness.request(origin.url())
            let run = harness.makeRun(harness.job(request))
            async let report = run.run()
            await origin.waitForBytesSent(150_000)
            request.response.checksums = [other.checksum(.md5)]
            request.response.onMismatch = policy
            await run.follow(request)
            origin.release("middle")
            switch await report.result {
            case .succeeded(let success):
                #expect(policy == .keep)
                #expect(success.mismatched == [body.checksum(.md5)])
            case .failed(let error, _):
                #expect(policy == .fail)
                #expect(error.code == .digestMismatch)
                #expect(harness.contents == [])
            default: Issue.record("The run was stopped.")
            }
        }
    }
}
