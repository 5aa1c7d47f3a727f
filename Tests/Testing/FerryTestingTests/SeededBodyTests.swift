import Crypto
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Seeded bodies` {
    private let body = SeededBody(seed: 42, size: 10_007)

    @Test(arguments: [0..<1, 3..<5, 7..<9, 8..<16, 1..<10_007, 10_000..<10_007, 5..<5] as [Range<Int64>])
    func `a range has the bytes that the whole body has there`(range: Range<Int64>) {
        #expect(body.bytes(in: range) == Array(body.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    @Test func `ranges past the end are left out`() {
        #expect(body.bytes(in: 10_000..<20_000).count == 7)
    }

    @Test func `other seeds give other bytes`() {
        #expect(body.bytes != SeededBody(seed: 43, size: 10_007).bytes)
    }

    @Test func `the digest is that of the bytes`() {
        let digest = SHA256.hash(data: body.bytes).map { String(format: "%02x", $0) }.joined()
        #expect(body.sha256Hex == digest)
    }

    @Test func `a file on disk has the digest of its body`() async throws {
        try await withTemporaryFolder { folder in
            try Data(body.bytes).write(to: URL(filePath: folder.file("a")))
            #expect(try FileDigest.sha256(folder.file("a")) == body.sha256Hex)
            #expect(folder.contents == ["a"])
        }
    }
}
