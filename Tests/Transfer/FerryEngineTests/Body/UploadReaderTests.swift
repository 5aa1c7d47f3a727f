import FerryCore
import FerryRules
import FerryTesting
import Foundation
import NIOCore
import Testing

@testable import FerryEngine

@Suite struct `Pieces of uploads` {
    @Test func `grow while the connection takes them at once, and shrink while it is slow`() {
        var size = PieceSize()
        #expect(size.bytes == 64 << 10)
        for _ in 0..<10 { size.taken(in: .milliseconds(1)) }
        #expect(size.bytes == PieceSize.range.upperBound)
        size.taken(in: .milliseconds(100))
        #expect(size.bytes == PieceSize.range.upperBound)
        for _ in 0..<20 { size.taken(in: .seconds(1)) }
        #expect(size.bytes == PieceSize.range.lowerBound)
    }

    @Test(arguments: [0..<0, 0..<1, 0..<1_000_000, 300_001..<999_999, 999_999..<1_000_000])
    func `hold the part, in order`(part: Range<Int64>) async throws {
        let content = SeededBody(seed: 41, size: 1_000_000).bytes
        let reader = UploadReader(.bytes(Data(content)), part, gate: nil)
        var all: [UInt8] = []
        while let piece = try await reader.next() {
            reader.sends(piece)
            all += piece.readableBytesView
        }
        #expect(all == Array(content[Int(part.lowerBound)..<Int(part.upperBound)]))
        #expect(reader.end == part.upperBound)
        let after = try await reader.next()
        #expect(after == nil)
    }

    /// A piece that is still in use keeps its bytes while the next ones are read.
    @Test func `keep their bytes while later ones are read`() async throws {
        try await withEngine { harness in
            let content = SeededBody(seed: 42, size: 1_000_000).bytes
            let path = harness.outside.file("up")
            try Data(content).write(to: URL(filePath: path))
            let file = try await UploadContent(path: path, disk: harness.engine.disk)
            let reader = UploadReader(file, 0..<1_000_000, gate: nil)
            var kept: [ByteBuffer] = []
            while let piece = try await reader.next() { kept.append(piece) }
            #expect(kept.count > 3)
            #expect(kept.flatMap { Array($0.readableBytesView) } == content)
        }
    }

    @Test func `are small where a rate limits them`() async throws {
        let gate = RateGate([RateLimiter(rate: 1 << 30)], priority: .normal)
        let reader = UploadReader(.bytes(Data(count: 1 << 20)), 0..<1 << 20, gate: gate)
        let piece = try #require(try await reader.next())
        #expect(piece.readableBytes == gate.pieceSize)
    }
}
