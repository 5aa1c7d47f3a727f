import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Digests` {
    private let body = SeededBody(seed: 51, size: 300_000)
    private let other = SeededBody(seed: 52, size: 300_000)

    @Test(arguments: DigestAlgorithm.allCases)
    func `I2 a file with the expected digest is placed`(algorithm: DigestAlgorithm) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) { $0.response.checksums = [body.checksum(algorithm)] }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(algorithm)])
            #expect(origin.requests.first?.value("Want-Repr-Digest") == nil)
        }
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func `I5 I6 CVE_2021_22922 a file in one piece with another digest is removed`(
        algorithm: DigestAlgorithm
    ) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.response.checksums = [body.checksum(.sha256), other.checksum(algorithm)]
            }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .digestMismatch)
            #expect(origin.requests.count == 1)
            #expect(harness.contents == [])
        }
    }

    @Test func `I6 a mismatch leaves the old file under replace`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            let request = harness.request(origin.url()) {
                $0.response.checksums = [other.checksum(.sha256)]
                $0.file.onConflict = .replace
            }
            #expect(await harness.transfer(request).failure?.code == .digestMismatch)
            #expect(harness.text("file.bin") == "old")
            #expect(harness.contents == ["file.bin"])
        }
    }

    @Test func `I5 joined bytes with another digest are fetched once more as one piece`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.request(2), .silentVersion(other)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(
                harness.request(origin.url()) { $0.response.checksums = [body.checksum(.md5)] })
            try harness.expectFile(history, body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=150000-", nil])
            #expect(origin.requests.last?.value("Cache-Control") == "no-cache")
        }
    }

    @Test func `O25 I5 a second mismatch is final`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.requests(2...), .silentVersion(other)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha256)] }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .digestMismatch)
            #expect(origin.requests.count == 3)
            #expect(harness.contents == [])
        }
    }

    @Test func `I4 the digest of bytes from an earlier process is read from the file`() async throws {
        try await withEngine(OriginScript(body, .on(.request(1), .cut(after: 150_000)))) { harness, origin in
            let request = harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha1)] }
            let first = await harness.transfer(request, tries: 1)
            let history = await harness.transfer(request, from: first.facts)
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(.sha1)])
        }
    }

    @Test func `O41 a digest that the server states is checked`() async throws {
        try await withEngine(OriginScript(body, always: .digest(.repr, .right))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(.sha256)])
        }
    }

    @Test func `O41 a file that is not what the server stated is not placed`() async throws {
        try await withEngine(OriginScript(body, always: .digest(.repr, .wrong))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .digestMismatch)
            #expect(harness.contents == [])
        }
    }

    @Test(arguments: DigestField.allCases)
    func `O41 I3 a file with the digest that trailers state is placed`(field: DigestField) async throws {
        try await withEngine(OriginScript(body, always: .trailingDigest(field, .right))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.success?.verified == (field == .repr ? [body.checksum(.sha256)] : []))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `O41 I3 a file without the digest that trailers state is not placed`() async throws {
        try await withEngine(OriginScript(body, always: .trailingDigest(.repr, .wrong))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .digestMismatch)
            #expect(harness.contents == [])
        }
    }

    @Test func `O41 I3 a response without the Content-Digest of its trailers is received again`() async throws {
        let script = OriginScript(body, .on(.request(1), .trailingDigest(.content, .wrong)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.badResponse])
        }
    }

    @Test func `O41 I3 a worker's part without the Content-Digest of its trailers is received again`() async throws {
        let body = SeededBody(seed: 84, size: 8 << 20)
        let script = OriginScript(
            body, .on(.request(1), .hold("first", at: .body(65_536))),
            .on(.request(2), .trailingDigest(.content, .wrong)))
        try await withEngine(script, configured: { $0.checkpointInterval = 0.01 }) { harness, origin in
            async let history = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 2 })
            await harness.journal.wait { $0.ranges.byteCount > 1 << 20 }
            origin.release("first")
            let done = await history
            try harness.expectFile(done, body)
            #expect(done.codes == [.badResponse])
        }
    }

    @Test func `O41 a part of the server's file is not compared with the digest of the whole`() async throws {
        try await withEngine(OriginScript(body, always: .digest(.repr, .right))) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.headers = [HeaderField(name: "Range", value: "bytes=100000-199999")]
            }
            let history = await harness.transfer(request)
            #expect(history.success?.size == 100_000)
        }
    }

    @Test(arguments: DigestField.allCases)
    func `O41 an algorithm that nobody knows is ignored`(field: DigestField) async throws {
        try await withEngine(OriginScript(body, always: .digest(field, .foreign))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [])
        }
    }

    @Test func `O41 I3 a part with a wrong Content-Digest is taken out again`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.request(2), .digest(.content, .wrong)),
            .on(.request(3), .digest(.content, .right)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.connectionLost, .badResponse])
            #expect(history.reports[1].facts.ranges == ByteRangeSet(0..<150_000))
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=150000-", "bytes=150000-"])
        }
    }

    /// A checkpoint records the part before its digest is known. After a crash, the part must not be taken for data.
    @Test func `O41 I3 a recorded part with a wrong Content-Digest is taken out of the journal`() async throws {
        let body = SeededBody(seed: 82, size: 4 << 20)
        let script = OriginScript(
            body, always: .digest(.content, .wrong), .hold("half", at: .body(2 << 20)))
        try await withEngine(script, configured: { $0.checkpointInterval = 0.01 }) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 1 }
            async let history = harness.transfer(request, tries: 1)
            await harness.journal.wait { $0.ranges == ByteRangeSet(0..<2 << 20) }
            origin.release("half")
            let first = await history
            #expect(first.codes == [.badResponse])
            #expect(first.facts.ranges.isEmpty)
            #expect(harness.journal.facts.ranges.isEmpty)
        }
    }

    @Test func `O41 I3 a worker's recorded part with a wrong Content-Digest is taken out at once`() async throws {
        let body = SeededBody(seed: 83, size: 8 << 20)
        let part: Int64 = 1 << 20
        let script = OriginScript(
            body, .on(.request(1), .hold("first", at: .body(65_536))),
            .on(.request(2), .digest(.content, .wrong), .hold("second", at: .body(part))),
            .on(.requests(3...), .hold("later", at: .head)))
        try await withEngine(script, configured: { $0.checkpointInterval = 0.01 }) { harness, origin in
            let run = harness.makeRun(harness.job(harness.request(origin.url()) { $0.transport.connections = 2 }))
            async let report = run.run()
            await harness.journal.wait { $0.ranges.byteCount == 65_536 + part }
            origin.release("second")
            // Nothing else is written, so no other checkpoint is made.
            try await eventually("the part is taken out of the journal") {
                harness.journal.facts.ranges == ByteRangeSet(0..<65_536)
            }
            await run.stop()
            #expect(await report.facts.ranges == ByteRangeSet(0..<65_536))
        }
    }

    @Test func `O41 I3 a body whose Content-Digest is always wrong is never placed`() async throws {
        try await withEngine(OriginScript(body, always: .digest(.content, .wrong))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .badResponse)
            #expect(origin.requests.count == 6)
            #expect(harness.contents.contains("file.bin") == false)
        }
    }

    // MARK: Bytes that were not durable

    /// Bytes that were digested and then lost are received again. Their digest must not be continued: it may be that of
    /// other bytes. A single response that begins elsewhere discards it in any case, so several responses come here.
    @Test func `V2 a digest of more bytes than are durable is not continued`() async throws {
        let body = SeededBody(seed: 90, size: 8 << 20)
        let script = OriginScript(body, .on(.request(1), .cut(after: 3 << 20)))
        try await withEngine(script) { harness, origin in
            let checked = harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha256)] }
            let first = await harness.makeRun(harness.job(checked)).run()
            #expect(first.digest?.count == 3 << 20)
            var digest = RunningDigest([.sha256])
            unsafe Data(count: 3 << 20).withUnsafeBytes { unsafe digest.update($0) }
            var facts = first.facts
            facts.ranges = ByteRangeSet(0..<1 << 20)
            var request = checked
            request.transport.connections = 4
            let history = await harness.transfer(request, from: facts, tries: 1) { [digest] in $0.digest = digest }
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(.sha256)])
        }
    }

    // MARK: Responses that are not read to their end

    /// A regression: another worker took over the end of the first response, and the bytes it kept were never compared
    /// with the digest.
    @Test func `I3 a shortened response is compared once its whole range is there`() async throws {
        let body = SeededBody(seed: 84, size: 8 << 20)
        let script = OriginScript(
            body, .always(.digest(.content, .right)),
            .on(.request(1), .damage(at: 100_000), .hold("go", at: .body(200_000))))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 4 }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.requests.count == 4 && $0.held.count == 1 }
            origin.release("go")
            let history = await transferred
            try harness.expectFile(history, body)
            #expect(history.codes == [.badResponse])
            #expect(history.facts.pendingDigests.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `I3 a response that was cut is compared once its whole range is there, after a kill too`(
        isKilled: Bool
    ) async throws {
        let body = SeededBody(seed: 85, size: 4 << 20)
        let script = OriginScript(
            body, .always(.digest(.content, .right)), .on(.request(1), .damage(at: 100_000), .cut(after: 3 << 20)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 1 }
            let first = await harness.transfer(request, tries: 1)
            #expect(first.success == nil && first.facts.ranges.byteCount > 0)
            #expect(!first.facts.pendingDigests.isEmpty)
            // After a kill, only the journal's facts remain.
            let facts = isKilled ? harness.journal.facts : first.facts
            let history = await harness.transfer(request, from: facts)
            try harness.expectFile(history, body)
            #expect(history.codes.contains(.badResponse))
        }
    }

    @Test func `I3 a shortened response is compared after a kill`() async throws {
        let body = SeededBody(seed: 87, size: 8 << 20)
        let script = OriginScript(
            body, .always(.digest(.content, .right)),
            .on(.request(1), .damage(at: 100_000), .hold("go", at: .body(200_000))))
        try await withEngine(script, configured: { $0.checkpointInterval = 0.01 }) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 4 }
            let run = harness.makeRun(harness.job(request))
            async let report = run.run()
            await harness.journal.wait { $0.ranges.contains(0..<200_000) && $0.ranges.byteCount > 4 << 20 }
            // After a kill, only the journal's facts remain.
            let facts = harness.journal.facts
            #expect(facts.pendingDigests.digests.contains { $0.start == 0 && $0.end == body.size })
            await run.stop()
            _ = await report
            origin.release("go")
            let history = await harness.transfer(request, from: facts)
            try harness.expectFile(history, body)
            #expect(history.codes.contains(.badResponse))
        }
    }

    @Test(arguments: [1, 4]) func `I3 good responses that were cut count, and nothing is fetched twice`(
        connections: Int
    ) async throws {
        let body = SeededBody(seed: 86, size: 4 << 20)
        let script = OriginScript(
            body, .always(.digest(.content, .right)), .on(.requests(1...3), .cut(after: 300_000)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = connections }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(harness.writtenBytes == body.size)
            #expect(history.facts.pendingDigests.isEmpty)
        }
    }

    @Test func `I3 a length that is not stated makes the digest one of the whole file`() async throws {
        let script = OriginScript(
            body, .always(.digest(.content, .right), .chunked), .on(.request(1), .damage(at: 9)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.badResponse])
        }
    }

    private func sha256(_ bytes: [UInt8]) -> String {
        var digest = RunningDigest([.sha256])
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        let hex = Array(digest.finalize()[0].hex)
        let pairs = stride(from: 0, to: hex.count, by: 2).map { UInt8(String(hex[$0...$0 + 1]), radix: 16) ?? 0 }
        return Data(pairs).base64EncodedString()
    }

    @Test(arguments: DigestField.allCases)
    func `I3 a digest of coded content is compared before the coding is taken off`(field: DigestField) async throws {
        let coded = StoredGzip.encode(body.bytes)
        let digests = [true: sha256(coded), false: sha256(body.bytes)]
        for (isRight, digest) in digests {
            let script = OriginScript(
                body, always: .gzipAnyway(), .field(field.rawValue, "sha-256=:\(digest):"))
            try await withEngine(script) { harness, origin in
                let request = harness.request(origin.url()) { $0.response.decode = true }
                let history = await harness.transfer(request, tries: 1)
                if isRight {
                    try harness.expectFile(history, body)
                } else {
                    #expect(history.codes == [.badResponse])
                    #expect(harness.text("file.bin") == nil)
                }
            }
        }
    }
}
