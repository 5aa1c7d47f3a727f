import FerryCore
import FerryEngine
import FerryQueue
import FerryTesting
import Foundation
import Testing

@testable import FerryService

@Suite(.timeLimit(.minutes(1))) struct `A service with a file system that hangs` {
    private static let body = SeededBody(seed: 32, size: 1_500_000)

    /// Creates a folder on a separate file system.
    private func makeFolder(_ bed: ServiceBed, _ disk: FaultyDisk) throws -> String {
        let folder = bed.outside.file("hung")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        disk.setDevice(1, of: folder)
        disk.setDevice(2, of: bed.folder)
        return folder
    }

    @Test(arguments: ServiceKind.allCases, [DiskCall.write, .syncData])
    func `answers, pauses others and fetches to other file systems`(kind: ServiceKind, call: DiskCall) async throws {
        let disk = FaultyDisk()
        let script = OriginScript(Self.body, .on(.path("/held"), .hold("held", at: .body(600_000))))
        try await withService(kind, script, { $0.disk = disk }) { bed in
            let folder = try makeFolder(bed, disk)
            let hold = disk.hold(call, below: folder)
            defer { hold.release() }
            let hung = try await bed.add(
                ["/1", "/2", "/3"].map { path in bed.request(path) { $0.file.folder = folder } })
            try await eventually("the disk hangs") { hold.count > 0 }
            let held = try await bed.add("/held")
            try await bed.wait(for: held.id, received: 600_000)
            #expect(try await bed.act(.pause, held.id) == .suspended)
            let other = try await bed.add("/other")
            try await bed.wait(for: other.id, .succeeded)
            for transfer in hung { #expect(try await bed.service.transfer(transfer.id).state == .running) }
            #expect(try await bed.service.status().lastEvent > 0)
            #expect(hold.count > 0)
            hold.release()
            for transfer in hung { try await bed.wait(for: transfer.id, .succeeded) }
        }
    }

    /// A command for the hanging transfer.
    enum Wish: CaseIterable, Sendable {
        case pause, cancel, remove, removeWithFile, sessionPause, sessionCancel

        var action: TransferAction {
            switch self {
            case .pause, .sessionPause: .pause
            case .cancel, .sessionCancel: .cancel
            case .remove: .remove
            case .removeWithFile: .removeWithFile
            }
        }
    }

    /// The user's commands must not wait for the disk on which the transfer hangs.
    @Test(arguments: ServiceKind.allCases, Wish.allCases)
    func `answers a command for a hanging transfer, and carries it out later`(
        kind: ServiceKind, wish: Wish
    ) async throws {
        let action = wish.action
        let disk = FaultyDisk()
        let tweak: Tweak = {
            $0.disk = disk
            $0.answerLimit = 0.05
        }
        try await withService(kind, OriginScript(Self.body), tweak) { bed in
            let folder = try makeFolder(bed, disk)
            let hold = disk.hold(.write, below: folder)
            defer { hold.release() }
            let id = try await bed.add("/hung") { $0.file.folder = folder }.id
            try await eventually("the disk hangs") { hold.count > 0 }
            switch wish {
            case .pause, .cancel, .remove, .removeWithFile:
                #expect(try await bed.act(action, id) == .suspended)
            case .sessionPause: _ = try await bed.service.act(.pause, in: .cli, on: [id])
            case .sessionCancel: _ = try await bed.service.act(.cancel, in: .cli, on: [id])
            }
            let isGone = wish == .sessionCancel
            if !isGone {
                // Repeating the command gives the same result, and nothing starts before the run has ended.
                #expect(try await bed.act(action, id) == .suspended)
                #expect(try await bed.service.transfer(id).state == .suspended)
                let refusal = try await bed.service.act(.resume, on: TransferSelection(ids: [id])).first?.error
                #expect(refusal?.code == .diskIO && refusal?.message.contains("its disk") == true)
            }
            #expect(hold.count > 0)
            hold.release()
            if action == .pause {
                try await eventually("the transfer goes on") {
                    try await bed.service.act(.resume, on: TransferSelection(ids: [id])).first?.error == nil
                }
                try await bed.wait(for: id, .succeeded)
            } else {
                if wish == .cancel {
                    try await bed.wait(for: id, .canceled)
                } else {
                    try await eventually("the transfer is gone") { try await bed.ids == [] }
                }
                try await eventually("the end of the partial file") {
                    try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `delays no command for a transfer that a batch starts, while the batch's folder is opened`(
        _ kind: ServiceKind
    ) async throws {
        let disk = FaultyDisk()
        try await withService(kind, OriginScript(always: .hold("go", at: .head)), { $0.disk = disk }) { bed in
            let folder = try makeFolder(bed, disk)
            let id = try #require(try await bed.submit(bed.batch(["/1"])).first)
            try await bed.perform(.pause)
            let hold = disk.hold(.openFolder, below: folder)
            defer { hold.release() }
            var batch = try bed.batch(["/2"]) { $0.file.folder = folder }
            batch.starts = [TransferBatch.Start(id: id)]
            let submitted = batch
            async let report = bed.service.submit(submitted)
            try await eventually("the folder is being opened") { hold.count > 0 }
            #expect(try await bed.act(.resume, id) != .suspended)
            #expect(try await bed.act(.pause, id) == .suspended)
            #expect(hold.count > 0)
            hold.release()
            #expect(try await report.failures == [])
            bed.origin.release("go")
            for transfer in try await bed.transfers { try await bed.wait(for: transfer.id, .succeeded) }
        }
    }

    /// A confirmed command holds, whatever command follows and whichever daemon executes it.
    @Test(arguments: [Wish.cancel, .remove])
    func `has a command carried out by the next daemon where this one ends first`(wish: Wish) async throws {
        let disk = FaultyDisk()
        let tweak: Tweak = {
            $0.disk = disk
            $0.answerLimit = 0.05
            $0.stopLimit = 0.2
        }
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var id = TransferID(rawValue: 0)
                var hold: DiskHold?
                try await withService(.inProcess, origin, outside, keepsState: true, tweak) { bed in
                    let folder = try makeFolder(bed, disk)
                    hold = disk.hold(.write, below: folder)
                    id = try await bed.add("/hung") { $0.file.folder = folder }.id
                    try await eventually("the disk hangs") { hold?.count ?? 0 > 0 }
                    #expect(try await bed.act(wish.action, id) == .suspended)
                    // None of these revokes the command.
                    #expect(try await bed.act(.pause, id) == .suspended)
                    _ = try await bed.service.act(.resume, on: TransferSelection(ids: [id]))
                    _ = try? await bed.service.release(id)
                }
                hold?.release()
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    if wish == .cancel {
                        try await bed.wait(for: id, .canceled)
                    } else {
                        try await eventually("the transfer is gone") { try await bed.ids == [] }
                    }
                    try await eventually("the end of the partial file") {
                        try FileManager.default.contentsOfDirectory(atPath: bed.outside.file("hung")).isEmpty
                    }
                }
            }
        }
    }

    /// The disk of an idle transfer may hang as well.
    @Test(arguments: ServiceKind.allCases, [TransferAction.cancel, .remove, .removeWithFile])
    func `answers a command for a paused transfer whose files it holds`(
        kind: ServiceKind, action: TransferAction
    ) async throws {
        let disk = FaultyDisk()
        let script = OriginScript(Self.body, always: .hold("never", at: .body(600_000)))
        let tweak: Tweak = {
            $0.disk = disk
            $0.answerLimit = 0.05
        }
        try await withService(kind, script, tweak) { bed in
            let folder = try makeFolder(bed, disk)
            let id = try await bed.add { $0.file.folder = folder }.id
            try await bed.wait(for: id, received: 600_000)
            #expect(try await bed.act(.pause, id) == .suspended)
            let hold = disk.hold(.remove, below: folder)
            defer { hold.release() }
            #expect(try await bed.act(action, id) == (action == .cancel ? .suspended : .canceled))
            try await eventually("the disk hangs") { hold.count > 0 }
            hold.release()
            if action == .cancel {
                try await bed.wait(for: id, .canceled)
            } else {
                try await eventually("the transfer is gone") { try await bed.ids == [] }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    /// The server may wait some seconds for its connections, and the daemon's whole shutdown has ten.
    @Test func `stops its transfers as soon as the daemon is asked to end`() async throws {
        let disk = FaultyDisk()
        let script = OriginScript(Self.body, .on(.path("/held"), .hold("held", at: .body(600_000))))
        let tweak: Tweak = {
            $0.disk = disk
            $0.stopLimit = 0.2
            $0.checkpointInterval = 3600
        }
        try await withStoredService(script, tweak) { bed, local in
            let folder = try makeFolder(bed, disk)
            let held = try await bed.add("/held")
            try await bed.wait(for: held.id, received: 600_000)
            let hold = disk.hold(.write, below: folder)
            defer { hold.release() }
            let hung = try await bed.add("/hung") { $0.file.folder = folder }
            try await eventually("the disk hangs") { hold.count > 0 }
            await local.prepareToEnd()
            try await eventually("the other has stopped") { await local.running.ids == [hung.id] }
            #expect(try await bed.service.transfer(held.id).bytesReceived == 600_000)
            await local.shutdown()
            #expect(hold.count > 0)
        }
    }

    @Test func `ends without it, and what others received is durable`() async throws {
        let disk = FaultyDisk()
        let script = OriginScript(Self.body, .on(.request(1), .hold("held", at: .body(600_000))))
        try await withTemporaryFolder { outside in
            try await withOrigin(script) { origin in
                var healthy: TransferID?
                var hung: TransferID?
                var hold: DiskHold?
                try await withService(
                    .inProcess, origin, outside, keepsState: true,
                    {
                        $0.disk = disk
                        $0.stopLimit = 0.2
                        $0.checkpointInterval = 3600
                    }
                ) { bed in
                    let folder = try makeFolder(bed, disk)
                    let first = try await bed.add().id
                    healthy = first
                    try await bed.wait(for: first, received: 600_000)
                    hold = disk.hold(.write, below: folder)
                    hung = try await bed.add("/hung") { $0.file.folder = folder }.id
                    try await eventually("the disk hangs") { hold?.count ?? 0 > 0 }
                }
                #expect(hold?.count == 1)
                hold?.release()
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    for id in [healthy, hung] { try await bed.wait(for: #require(id), .succeeded) }
                    #expect(bed.ranges() == [nil, "bytes=600000-"])
                }
            }
        }
    }
}

extension ServiceBed {
    fileprivate var ids: [TransferID] {
        get async throws { try await service.transfers(TransferQuery()).transfers.map(\.id) }
    }
}
