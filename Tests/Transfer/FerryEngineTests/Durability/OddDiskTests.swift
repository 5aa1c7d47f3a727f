import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

/// FUSE, network file systems and those of other systems refuse calls that a local Linux file system has.
@Suite(.timeLimit(.minutes(1))) struct `A file system that refuses` {
    /// Files that are written together from memory, and one with a partial file and reserved blocks.
    private static let sizes: [Int64] = [9, 2 << 20]

    private static let refusals = [EPERM, EACCES, EINVAL, ENOSYS, EOPNOTSUPP]

    /// Returns the history of a transfer whose file is placed.
    private func place(
        _ size: Int64, _ change: @escaping (inout TransferRequest) -> Void = { _ in }, _ prepare: (FaultyDisk) -> Void
    ) async throws -> History {
        let body = SeededBody(seed: 91, size: size)
        return try await withEngine(OriginScript(body)) { harness, origin in
            prepare(harness.disk)
            let history = await harness.transfer(harness.request(origin.url(), change))
            #expect(history.success?.size == size, "\(history.errors)")
            let digest = try sha256(harness.path("file.bin"))
            #expect(digest == body.sha256Hex)
            #expect(harness.contents == ["file.bin"])
            #expect(origin.requests.count == 1)
            return history
        }
    }

    @Test(arguments: sizes, refusals)
    func `modes gets the file with the mode that it has, and a note`(size: Int64, errno: Int32) async throws {
        let history = try await place(size) { $0.fail(.setMode, errno) }
        #expect(history.facts.notes == ["the mode is 0600: 0644 was refused"])
    }

    @Test(arguments: sizes, refusals)
    func `times gets the file with the time that it has, and a note`(size: Int64, errno: Int32) async throws {
        let history = try await place(size, { $0.file.remoteTime = true }) { $0.fail(.setTime, errno) }
        #expect(history.facts.notes == ["the server's time of the file was refused by the file system"])
    }

    @Test(arguments: sizes, refusals)
    func `extended attributes gets the file`(size: Int64, errno: Int32) async throws {
        _ = try await place(size, { $0.file.originAttribute = true }) { $0.fail(.setAttribute, errno) }
    }

    @Test(arguments: sizes, refusals)
    func `to sync a folder gets the file`(size: Int64, errno: Int32) async throws {
        _ = try await place(size) { $0.fail(.syncFolder, errno) }
    }

    @Test(arguments: refusals)
    func `to reserve blocks gets the file`(errno: Int32) async throws {
        _ = try await place(2 << 20) { $0.fail(.allocate, errno) }
    }

    @Test(arguments: sizes)
    func `to tell its free space is not full`(size: Int64) async throws {
        _ = try await place(size) { $0.setKnowsRoom(false) }
    }
}
