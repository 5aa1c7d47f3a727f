import FerryCore
@testable import FerryService
import FerryQueue
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Actions` {
    private static let body = SeededBody(seed: 5, size: 300_000)
    /// The first response stops after 200,000 bytes. Later ones are complete.
    private static let held = OriginScript(body, .on(.request(1), .hold("middle", at: .body(200_000))))

    /// Runs `body` with a transfer that has received 200,000 bytes and stalls.
    private func withHeld(_ kind: ServiceKind, _ body: (ServiceBed, TransferID) async throws -> Void) async throws {
        try await withService(kind, Self.held) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, received: 200_000)
            try await body(bed, id)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `D3 pause keeps every byte and resume continues from there`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, id in
            #expect(try await bed.act(.pause, id) == .suspended)
            let paused = try await bed.service.transfer(id)
            #expect(paused.state == .suspended && paused.bytesReceived == 200_000 && paused.reason == nil)
            #expect(try await bed.act(.resume, id) == .waiting)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil, "bytes=200000-"])
            #expect(done.attempts == 2)
            #expect(try FileDigest.sha256(bed.folder + "/file.bin") == Self.body.sha256Hex)
            #expect(bed.files == ["file.bin"])
        }
    }

    /// The journal is read page by page.
    @Test(arguments: [TransferAction.remove, .cancel, .resume])
    func `an action on all reaches the first and the last of more than one page`(action: TransferAction) async throws {
        try await withService(.inProcess, OriginScript(Self.body, always: .stall(after: 100))) { bed in
            let requests = (0..<1001).map { number in bed.request("/\(number)") { $0.timing.paused = true } }
            let ids = try await bed.add(requests).map(\.id)
            let results = try await bed.service.act(action, on: TransferSelection())
            #expect(results.map(\.id) == ids)
            #expect(results.allSatisfy { $0.error == nil })
            let left = try await bed.service.transfers(TransferQuery()).transfers
            #expect(left.isEmpty == (action == .remove))
            #expect(!left.contains { $0.state == .suspended })
        }
    }

    /// With a policy that checks for an earlier file, some time passes between the slot and the attempt.
    @Test func `a pause that comes before the attempt exists stops it`() async throws {
        let script = OriginScript(Self.body, always: .stall(after: 100))
        try await withService(.inProcess, script) { bed in
            for round in 0..<200 {
                let id = try await bed.add("/\(round)") {
                    $0.file.name = "\(round)"
                    $0.file.onConflict = .update
                    // As slow as an origin that delays its response.
                    $0.transport.rateLimit = 1024
                }.id
                for _ in 0..<round % 50 { await Task.yield() }
                #expect(try await bed.act(.pause, id) == .suspended)
                #expect(try await bed.service.transfer(id).state == .suspended)
            }
        }
    }

    @Test func `a pause that comes while the end is being stored does not undo it`() async throws {
        let (placed, place) = AsyncStream<Void>.makeStream()
        let goesOn = DispatchSemaphore(value: 0)
        defer { goesOn.signal() }
        let stopAtPlace: Tweak = { configuration in
            configuration.reached = { step in
                guard step == .folderSynced else { return }
                place.yield()
                goesOn.wait()
            }
        }
        try await withStoredService(OriginScript(SeededBody(seed: 6, size: 500)), stopAtPlace) { bed, local in
            let id = try await bed.add().id
            for await _ in placed { break }
            try await duringCommit(local) { end in
                goesOn.signal()
                try await eventually("the end on its way") { await local.parts.ends.storesLastGroup }
                async let paused = bed.act(.pause, id)
                try await eventually("the pause") { await local.isOperatedOn(id) }
                for _ in 0..<20 { _ = try await bed.service.transfer(id) }
                end()
                #expect(try await paused == .succeeded)
            }
            #expect(try await bed.service.transfer(id).state == .succeeded)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `an action done twice changes nothing`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, id in
            func again(_ action: TransferAction, _ expected: TransferState) async throws {
                let before = try await bed.service.status().lastEvent
                #expect(try await bed.act(action, id) == expected)
                #expect(try await bed.service.status().lastEvent == before)
            }
            try await again(.resume, .running)
            try await bed.act(.pause, id)
            try await again(.pause, .suspended)
            try await bed.act(.cancel, id)
            try await again(.cancel, .canceled)
            try await again(.pause, .canceled)
            try await again(.resume, .canceled)
            try await bed.act(.retry, id)
            try await bed.wait(for: id, .succeeded)
            try await again(.cancel, .succeeded)
            try await again(.pause, .succeeded)
            try await again(.resume, .succeeded)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `cancel removes the partial file`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, id in
            #expect(bed.files == [".ferry-\(id).part"])
            #expect(try await bed.act(.cancel, id) == .canceled)
            #expect(bed.files == [])
            let canceled = try await bed.service.transfer(id)
            #expect(canceled.state == .canceled && canceled.error?.code == .canceled)
            #expect(canceled.bytesReceived == 0)
            await bed.origin.waitForNoConnections()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a canceled transfer can be tried again from the start`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, id in
            try await bed.act(.cancel, id)
            #expect(try await bed.act(.retry, id) == .waiting)
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil, nil])
            #expect(try FileDigest.sha256(bed.folder + "/file.bin") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `remove deletes a running transfer, and leaves nothing`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, id in
            let state = try await bed.act(.remove, id)
            #expect(state == nil)
            #expect(bed.files == [])
            let error = await #expect(throws: ServiceError.self) { try await bed.service.transfer(id) }
            #expect(error?.code == .unknownTransfer)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `remove leaves a finished file, and remove with file takes it along`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let kept = try await bed.add { $0.file.name = "kept" }
            let gone = try await bed.add { $0.file.name = "gone" }
            let changed = try await bed.add { $0.file.name = "changed" }
            for transfer in [kept, gone, changed] { try await bed.wait(for: transfer.id, .succeeded) }
            try await bed.act(.remove, kept.id)
            try await bed.act(.removeWithFile, gone.id)
            // Another file has taken the name. The transfer did not download it, so it stays.
            let path = bed.folder + "/changed"
            try FileManager.default.moveItem(atPath: path, toPath: bed.folder + "/moved")
            try Data("mine".utf8).write(to: URL(filePath: path))
            try await bed.act(.removeWithFile, changed.id)
            #expect(bed.files == ["changed", "kept", "moved"])
            #expect(try await bed.service.transfers(TransferQuery()).transfers == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T1 T12 retry after a failure resumes from the kept bytes`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .cut(after: 100_000)))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.timing.retries = 0 }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .connectionLost && failed.error?.details.attempts == 1)
            #expect(failed.bytesReceived == 100_000)
            #expect(bed.files == [".ferry-\(id).part"])
            #expect(try await bed.act(.retry, id) == .waiting)
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
            #expect(try FileDigest.sha256(bed.folder + "/file.bin") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a transfer that has succeeded is not retried`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, .succeeded)
            let results = try await bed.service.act(.retry, on: TransferSelection(ids: [id]))
            #expect(results.first?.error?.code == .invalidRequest)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `an action for all concerns one session, or every one`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body, always: .hold("never", at: .head))) { bed in
            let other = try SessionID("other")
            try await bed.add((0..<3).map { bed.request("/\($0)") })
            try await bed.add((0..<2).map { number in bed.request("/other/\(number)") { $0.session = other } })
            func suspended() async throws -> Int? { try await bed.service.status().transfers["suspended"] }
            let paused = try await bed.service.act(.pause, on: TransferSelection(session: other))
            #expect(paused.map(\.state) == [.suspended, .suspended])
            #expect(try await suspended() == 2)
            #expect(try await bed.service.act(.pause, on: TransferSelection()).count == 3)
            #expect(try await suspended() == 5)
            #expect(try await bed.service.act(.cancel, on: TransferSelection()).count == 5)
            #expect(try await bed.service.act(.remove, on: TransferSelection()).count == 5)
            #expect(try await bed.service.transfers(TransferQuery()).transfers == [])
            #expect(bed.files == [])
        }
    }

    /// A freed slot must not be given to another transfer that is about to stop.
    @Test(arguments: [TransferAction.pause, .cancel, .remove], ServiceKind.allCases)
    func `stopping all starts none of them`(_ action: TransferAction, _ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body, always: .hold("never", at: .head))) { bed in
            try await bed.changeSettings { $0.activeTransfers = 4 }
            let transfers = try await bed.add((0..<600).map { bed.request("/\($0)") })
            await bed.origin.wait { $0.held.count == 4 }
            let results = try await bed.service.act(action, on: TransferSelection())
            #expect(results.map(\.id) == transfers.map(\.id))
            #expect(bed.origin.requests.count == 4)
        }
    }

    /// After concurrent pauses, resumes and cancels of many callers, the last command determines the state.
    @Test(arguments: ServiceKind.allCases)
    func `actions at the same time follow one another`(_ kind: ServiceKind) async throws {
        try await withHeld(kind) { bed, id in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { try await bed.act(number.isMultiple(of: 2) ? .pause : .resume, id) }
                }
                try await group.waitForAll()
            }
            try await bed.act(.resume, id)
            try await bed.wait(for: id, .succeeded)
            #expect(try FileDigest.sha256(bed.folder + "/file.bin") == Self.body.sha256Hex)
            #expect(bed.files == ["file.bin"])
        }
    }
}
