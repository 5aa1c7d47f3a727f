import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A file of another program that a transfer continues under its name` {
    private static let body = SeededBody(seed: 22, size: 300_000)
    private static let sum = try? Checksum(parsing: "sha256:" + body.sha256Hex)

    /// - Parameter half: The bytes that the other program has left at the destination.
    private func withHalf(
        _ half: Data, _ body: (ServiceBed, _ path: String, _ request: TransferRequest) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                try await withService(.inProcess, origin, outside) { bed in
                    let path = bed.folder + "/file.iso"
                    try FileManager.default.createDirectory(atPath: bed.folder, withIntermediateDirectories: true)
                    #expect(FileManager.default.createFile(atPath: path, contents: half))
                    let request = bed.request { request in
                        (request.file.name, request.file.onConflict) = ("file.iso", .replace)
                        request.file.continues = PartialSource(
                            path: path, offset: Int64(half.count), etag: nil, lastModified: nil, date: nil,
                            completeLength: nil)
                        request.response.checksums = [Self.sum].compactMap(\.self)
                    }
                    try await body(bed, path, request)
                }
            }
        }
    }

    @Test func `gets the missing bytes, and is complete under its name`() async throws {
        try await withHalf(Data(Self.body.bytes(in: 0..<100_000))) { bed, path, request in
            let id = try #require(await bed.add([request]).first).id
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(ended.destination == path && ended.verified.count == 1)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            #expect(bed.ranges() == ["bytes=100000-"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder) == ["file.iso"])
        }
    }

    @Test func `is fetched anew where the digest shows that its bytes are others`() async throws {
        try await withHalf(Data(repeating: 7, count: 100_000)) { bed, path, request in
            let id = try #require(await bed.add([request]).first).id
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(ended.destination == path)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
        }
    }

    @Test func `stays where it is if the transfer is canceled or fails`() async throws {
        let half = Data(Self.body.bytes(in: 0..<100_000))
        try await withHalf(half) { bed, path, request in
            var wrong = request
            wrong.response.checksums = [Checksum(.sha256, bytes: Data(repeating: 1, count: 32))]
            let failed = try #require(await bed.add([wrong]).first).id
            try await bed.wait(for: failed, .failed)
            #expect(try Data(contentsOf: URL(filePath: path)) == half)
            var paused = request
            paused.timing.paused = true
            let id = try #require(await bed.add([paused]).first).id
            try await bed.act(.cancel, id)
            #expect(try Data(contentsOf: URL(filePath: path)) == half)
        }
    }

    @Test func `stays where it is if the transfer is refused`() async throws {
        let half = Data(Self.body.bytes(in: 0..<100_000))
        try await withHalf(half) { bed, path, request in
            for policy in [ConflictPolicy.unique, .fail, .skip, .update] {
                var request = request
                request.file.onConflict = policy
                #expect(try await bed.refusal(of: request).code == .invalidRequest)
            }
            var unnamed = request
            unnamed.file.name = nil
            #expect(try await bed.refusal(of: unnamed).code == .invalidRequest)
            var longer = request
            longer.file.continues?.offset = 100_001
            #expect(try await bed.refusal(of: longer).code == .partialLost)
            // Another transfer is fetching to the path.
            var other = request
            other.file.continues = nil
            other.timing.paused = true
            try await bed.add([other])
            #expect(try await bed.refusal(of: request).code == .destinationExists)
            #expect(try Data(contentsOf: URL(filePath: path)) == half)
        }
    }
}
