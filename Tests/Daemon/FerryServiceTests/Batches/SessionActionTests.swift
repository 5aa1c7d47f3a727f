import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Actions on a session` {
    private static let body = SeededBody(seed: 5, size: 300_000)
    /// The first response stops after 200,000 bytes. Later ones are complete.
    private static let held = OriginScript(body, .on(.request(1), .hold("middle", at: .body(200_000))))

    /// Runs `body` with a manager that has one transfer stalled at 200,000 bytes and nine waiting ones.
    private func withHeld(
        _ kind: ServiceKind, _ body: (ServiceBed, AttachedApp, [TransferID]) async throws -> Void
    ) async throws {
        try await withService(kind, Self.held) { bed in
            let app = try await bed.attachManager()
            try await bed.limitManager(to: 1)
            let ids = try await bed.submit(bed.batch((0..<10).map { "/\($0)" }))
            try await bed.wait(for: ids[0], received: 200_000)
            try await body(bed, app, ids)
            await app.leave()
        }
    }

    private func states(_ bed: ServiceBed) async throws -> [TransferState] { try await bed.transfers.map(\.state) }

    @Test(arguments: ServiceKind.allCases)
    func `B3 pause suspends running and waiting transfers, and start resumes all`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, app, ids in
            try await app.wait(through: bed.perform(.pause))
            #expect(app.told(.submitted) == ids)
            #expect(app.told(.suspended) == ids)
            #expect(try await states(bed) == Array(repeating: .suspended, count: 10))
            #expect(try await bed.service.transfer(ids[0]).bytesReceived == 200_000)
            let again = try await bed.perform(.pause)
            #expect(app.told(.suspended) == ids)
            #expect(again == app.through)
            try await bed.perform(.start)
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(app.told(.resumed) == ids)
            #expect(bed.ranges("/0") == [nil, "bytes=200000-"])
            #expect(try FileDigest.sha256(bed.folder + "/0") == Self.body.sha256Hex)
            #expect(bed.files.count == 10)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `B3 cancel forgets what has not succeeded, with its partial file`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, app, ids in
            #expect(bed.files == [".ferry-\(ids[0]).part"])
            try await app.wait(through: bed.perform(.cancel))
            #expect(try await bed.transfers == [])
            #expect(bed.files == [])
            #expect(Set(app.told(.removed)) == Set(ids))
            #expect(app.told(.canceled) == [])
            await bed.origin.waitForNoConnections()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `S4 a removed transfer is fetched again as if it had never existed`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, _, _ in
            for round in 0..<10 {
                try await bed.perform(round.isMultiple(of: 2) ? .cancel : .remove)
                _ = try await bed.submit(bed.batch((0..<10).map { "/\($0)" }) { $0.file.onConflict = .replace })
            }
            for transfer in try await bed.transfers { try await bed.wait(for: transfer.id, .succeeded) }
            #expect(bed.files == (0..<10).map(String.init))
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `C4 named ones alone are concerned, and only those of the session`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, _, ids in
            let other = try await bed.add("/other") { $0.timing.paused = true }
            let unknown = TransferID(rawValue: 1)
            let report = try await bed.service.act(
                .cancel, in: bed.session, on: [ids[3], other.id, ids[0], unknown])
            #expect(report.failures.map(\.id) == [other.id, unknown])
            #expect(report.failures.allSatisfy { $0.error?.code == .unknownTransfer })
            #expect(try await bed.transfers.map(\.id) == ids.filter { $0 != ids[0] && $0 != ids[3] })
            #expect(try await bed.service.transfer(other.id).state == .suspended)
            for id in ids where id != ids[0] && id != ids[3] { try await bed.wait(for: id, .succeeded) }
            #expect(bed.files == [1, 2, 4, 5, 6, 7, 8, 9].map { "\($0)" })
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `start attempts failed transfers again, and at once those that wait for a retry`(_ kind: ServiceKind)
        async throws
    {
        let script = OriginScript(
            Self.body, .on(.path("/bad"), .status(404)), .on(.path("/busy"), .status(503)))
        try await withService(kind, script, { $0.delayScale = 1 }) { bed in
            let ids = try await bed.submit(bed.batch(["/bad", "/busy", "/good"]))
            try await bed.wait(for: ids[0], .failed)
            try await bed.wait(for: ids[1], waiting: .retry)
            try await bed.wait(for: ids[2], .succeeded)
            bed.origin.script = OriginScript(Self.body)
            try await bed.perform(.start)
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked.filter { $0 == "/good" }.count == 1)
            #expect(bed.files == ["bad", "busy", "good"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `S5 start fetches a file anew that is gone or another, and no other`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let ids = try await bed.submit(bed.batch(["/kept", "/gone", "/changed"]))
            for id in ids { try await bed.wait(for: id, .succeeded) }
            try FileManager.default.removeItem(atPath: bed.folder + "/gone")
            try FileManager.default.removeItem(atPath: bed.folder + "/changed")
            try Data("other".utf8).write(to: URL(filePath: bed.folder + "/changed"))
            let before = try await bed.perform(.start)
            #expect(try await states(bed) == [.succeeded, .succeeded, .succeeded])
            let after = try await bed.perform(.start, on: ids)
            #expect(after == before + 2)
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked.sorted() == ["/changed", "/changed", "/gone", "/gone", "/kept"])
            #expect(bed.ranges("/gone") == [nil, nil])
            #expect(try FileDigest.sha256(bed.folder + "/gone") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F8 remove leaves finished files, and remove with file takes them along`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let ids = try await bed.submit(bed.batch(["/a", "/b", "/c"]))
            for id in ids { try await bed.wait(for: id, .succeeded) }
            try await bed.perform(.cancel)
            #expect(try await bed.transfers.map(\.id) == ids)
            try await bed.perform(.remove, on: [ids[0]])
            #expect(try await bed.transfers.map(\.id) == [ids[1], ids[2]])
            try FileManager.default.removeItem(atPath: bed.folder + "/c")
            try Data("mine".utf8).write(to: URL(filePath: bed.folder + "/c"))
            try await bed.perform(.removeWithFile)
            #expect(try await bed.transfers == [])
            #expect(bed.files == ["a", "c"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `S4 pauses and starts in a row lose no byte, and the last one counts`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, app, ids in
            for _ in 0..<20 {
                try await bed.perform(.pause)
                try await bed.perform(.start)
            }
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.ranges("/0").first == .some(nil))
            #expect(bed.ranges("/0").dropFirst().allSatisfy { $0?.hasPrefix("bytes=") == true })
            #expect(try FileDigest.sha256(bed.folder + "/0") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `one at the same time on single transfers leaves none behind`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(SeededBody(seed: 6, size: 1000))) { bed in
            let ids = try await bed.submit(bed.batch((0..<60).map { "/\($0)" }))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<6 {
                    group.addTask {
                        _ = try await bed.service.act(
                            round.isMultiple(of: 2) ? .pause : .start, in: bed.session, on: nil)
                    }
                    for id in ids.dropFirst(round).prefix(20) {
                        group.addTask {
                            _ = try await bed.service.act(
                                round.isMultiple(of: 2) ? .resume : .pause, on: TransferSelection(ids: [id]))
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await bed.perform(.start)
            for id in ids { try await bed.wait(for: id, .succeeded) }
        }
    }
}
