import FerryCore
import FerryQueue
import FerryRules
import FerryStore
import FerryTesting
import Foundation
import Testing

@testable import FerryService

@Suite(.timeLimit(.minutes(2))) struct `Finished files` {
    private static let body = SeededBody(seed: 13, size: 300_000)
    private static let other = SeededBody(seed: 14, size: 300_000)

    private func change(_ change: (inout TransferChange) -> Void) -> TransferChange {
        var result = TransferChange()
        change(&result)
        return result
    }

    private func put(_ bed: ServiceBed, _ name: String) throws {
        try Data("old".utf8).write(to: URL(filePath: bed.folder + "/" + name))
    }

    // MARK: Names

    @Test(arguments: ServiceKind.allCases)
    func `C2 a finished file gets another name`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, .succeeded)
            let renamed = try await bed.service.change(id, change { $0.name = "new.bin" })
            #expect(renamed.state == .succeeded && renamed.names.chosen == "new.bin")
            #expect(renamed.destination == bed.folder + "/new.bin")
            #expect(bed.files == ["new.bin"])
            #expect(try FileDigest.sha256(bed.folder + "/new.bin") == Self.body.sha256Hex)
            try await bed.act(.removeWithFile, id)
            #expect(bed.files == [])
        }
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `C2 F6 a name that is taken goes by the conflict policy`(policy: ConflictPolicy) async throws {
        try await withService(.inProcess, OriginScript(Self.body)) { bed in
            let id = try await bed.add { $0.file.onConflict = policy }.id
            try await bed.wait(for: id, .succeeded)
            try put(bed, "taken.bin")
            let wanted = change { $0.name = "taken.bin" }
            switch policy {
            case .unique:
                #expect(try await bed.service.change(id, wanted).destination == bed.folder + "/taken-1.bin")
                #expect(bed.files == ["taken-1.bin", "taken.bin"])
            case .replace:
                #expect(try await bed.service.change(id, wanted).destination == bed.folder + "/taken.bin")
                #expect(bed.files == ["taken.bin"])
            case .fail, .skip, .update:
                let error = await #expect(throws: ServiceError.self) { try await bed.service.change(id, wanted) }
                #expect(error?.code == .destinationExists)
                #expect(try await bed.service.transfer(id).destination == bed.folder + "/file.bin")
                #expect(bed.files == ["file.bin", "taken.bin"])
            }
        }
    }

    @Test func `C2 another owner's file keeps its name`() async throws {
        try await withService(.inProcess, OriginScript(Self.body)) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, .succeeded)
            try FileManager.default.removeItem(atPath: bed.folder + "/file.bin")
            try put(bed, "file.bin")
            for name in ["new.bin", "../new.bin", "a/new.bin", ".."] {
                let error = await #expect(throws: ServiceError.self) {
                    try await bed.service.change(id, change { $0.name = name })
                }
                #expect(error?.code == .invalidRequest)
            }
            #expect(bed.files == ["file.bin"])
        }
    }

    /// Leaves a file that was being renamed when its process ended.
    private func leaveRenaming(_ isRenamed: Bool, _ bed: ServiceBed) async throws -> TransferID {
        let id = try await bed.add().id
        try await bed.wait(for: id, .succeeded)
        let local = try #require(bed.service as? LocalTransferService)
        let done = try await local.existing(id)
        var placement = try #require(done.facts.placement)
        placement.formerPath = placement.path
        placement.path = bed.folder + "/new.bin"
        let isRecorded = try await PlacedFiles(engine: local.engine, journal: local.journal).recordPlace(
            done.id, placement)
        #expect(isRecorded)
        if isRenamed {
            try FileManager.default.moveItem(atPath: bed.folder + "/file.bin", toPath: bed.folder + "/new.bin")
        }
        return id
    }

    @Test(arguments: [false, true])
    func `C2 a name that was being changed at a crash is the one that the file has`(isRenamed: Bool) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var id: TransferID?
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    id = try await leaveRenaming(isRenamed, bed)
                }
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    let name = isRenamed ? "new.bin" : "file.bin"
                    let shown = try await bed.service.transfer(try #require(id))
                    #expect(shown.destination == bed.folder + "/" + name && shown.names.chosen == name)
                    #expect(shown.state == .succeeded)
                    try await bed.act(.removeWithFile, try #require(id))
                    #expect(bed.files == [])
                }
            }
        }
    }

    /// A folder that fails at the start must not cause the new name to be assumed, because the file may not have it.
    @Test func `a name that was being changed is found out once its folder answers`() async throws {
        let disk = FaultyDisk()
        disk.fail(.openFolder, EIO)
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var left: TransferID?
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    left = try await leaveRenaming(false, bed)
                }
                let id = try #require(left)
                try await withService(.inProcess, origin, outside, keepsState: true, { $0.disk = disk }) { bed in
                    #expect(try await bed.service.transfer(id).names.chosen == "new.bin")
                    disk.fail(.openFolder, times: 0)
                    try await bed.wait(for: id, "the file's name") { $0.names.chosen == "file.bin" }
                }
            }
        }
    }

    // MARK: Results

    @Test(arguments: ServiceKind.allCases)
    func `S11 8 a refused transfer resumes from its bytes at a new address`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.path("/old").and(.pathRequests(1...1)), .cut(after: 200_000)),
            .on(.path("/old").and(.pathRequests(2...)), .status(403, body: "expired")))
        try await withService(kind, script) { bed in
            let id = try await bed.add("/old") { $0.response.acceptableStatuses = .success }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.details.httpStatus == 403 && failed.response?.status == 403)
            #expect(failed.bytesReceived == 200_000)
            #expect(failed.attempts == 2)
            let replaced = change {
                $0.url = bed.origin.url("/new")
                $0.headers = [HeaderField(name: "X-Token", value: "new")]
            }
            #expect(try await bed.service.change(id, replaced).bytesReceived == 200_000)
            try await bed.act(.retry, id)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.response?.status == 206)
            #expect(bed.ranges("/new") == ["bytes=200000-"])
            #expect(bed.origin.requests.last?.value("X-Token") == "new")
            #expect(try FileDigest.sha256(bed.folder + "/old") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a transfer reports when its first attempt began`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(503)))
        try await withService(kind, script) { bed in
            let paused = try await bed.add { $0.timing.paused = true }
            #expect(paused.times.start == nil)
            try await bed.act(.resume, paused.id)
            let done = try await bed.wait(for: paused.id, .succeeded)
            let started = try #require(done.times.start)
            let ended = try #require(done.times.end)
            #expect(started <= ended)
            #expect(done.attempts == 2)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `V2 a digest that is given on the way is judged by the transfer's policy`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("middle", at: .body(100_000)))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.response.onMismatch = .keep }.id
            try await bed.wait(for: id, received: 100_000)
            let wrong = Self.other.checksum(.sha256)
            let given = change { $0.checksums = [wrong, Self.body.checksum(.md5)] }
            _ = try await bed.service.change(id, given)
            bed.origin.release("middle")
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.mismatched == [Self.body.checksum(.sha256)])
            #expect(done.verified == [Self.body.checksum(.md5)])
            #expect(bed.ranges() == [nil])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `V2 the policy for digests that differ may be changed`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let id = try await bed.add {
                $0.timing.paused = true
                $0.response.checksums = [Self.other.checksum(.sha1)]
            }.id
            let kept = change {
                $0.onMismatch = .keep
                $0.onConflict = .replace
                $0.action = .resume
            }
            try put(bed, "file.bin")
            _ = try await bed.service.change(id, kept)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.mismatched == [Self.body.checksum(.sha1)])
            #expect(bed.files == ["file.bin"])
        }
    }

    // MARK: Partial files elsewhere

    @Test(arguments: ServiceKind.allCases)
    func `F2 10 a folder that cannot be made is the transfer's failure, and mending it places the file`(
        _ kind: ServiceKind
    ) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            try put(bed, "taken")
            let parts = bed.outside.file("parts")
            let id = try await bed.add {
                $0.file.folder = bed.folder + "/taken"
                $0.file.partialFolder = parts
            }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .destinationUnwritable && bed.asked.isEmpty)
            try FileManager.default.removeItem(atPath: bed.folder + "/taken")
            try await bed.act(.retry, id)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.destination == bed.folder + "/taken/file.bin")
            #expect(try FileManager.default.contentsOfDirectory(atPath: parts) == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `10 a whole file that could not be placed goes to another folder without a request`(
        _ kind: ServiceKind
    ) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            try FileManager.default.createDirectory(
                atPath: bed.folder + "/file.bin", withIntermediateDirectories: false)
            let id = try await bed.add {
                $0.file.onConflict = .replace
                $0.file.name = "file.bin"
                $0.file.partialFolder = bed.outside.file("parts")
            }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .placementFailed && failed.bytesReceived == Self.body.size)
            let moved = change {
                $0.folder = bed.folder + "/else"
                $0.action = .retry
            }
            _ = try await bed.service.change(id, moved)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.destination == bed.folder + "/else/file.bin")
            #expect(bed.asked.count == 1)
            #expect(try FileDigest.sha256(bed.folder + "/else/file.bin") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: [TransferAction.cancel, .remove])
    func `F8 a canceled transfer leaves nothing in either folder`(action: TransferAction) async throws {
        let script = OriginScript(Self.body, always: .hold("never", at: .body(100_000)))
        try await withService(.inProcess, script) { bed in
            let parts = bed.outside.file("parts")
            let id = try await bed.add { $0.file.partialFolder = parts }.id
            try await bed.wait(for: id, received: 100_000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: parts).count == 1)
            try await bed.act(action, id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: parts) == [])
            #expect(bed.files == [])
        }
    }
    @Test func `F8 a copy that a crash left goes with its transfer`() async throws {
        try await withService(.inProcess, OriginScript(Self.body)) { bed in
            let id = try await bed.add {
                $0.timing.paused = true
                $0.file.partialFolder = bed.outside.file("parts")
            }.id
            let name = ".ferry-\(id)-copy.part"
            try put(bed, name)
            let local = try #require(bed.service as? LocalTransferService)
            var record = try await local.existing(id)
            record.facts.copy = bed.folder + "/" + name
            let left = record
            try await local.journal.commit { transaction throws(ServiceError) in
                try transaction.updateFacts(of: left)
            }
            try await bed.act(.cancel, id)
            #expect(bed.files == [])
        }
    }
}
