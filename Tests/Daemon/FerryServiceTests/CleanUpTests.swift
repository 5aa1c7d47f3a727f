import FerryCore
import FerryQueue
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryService

@Suite(.timeLimit(.minutes(2))) struct `Files that could not be removed` {
    private static let body = SeededBody(seed: 33, size: 300_000)
    private static let script = OriginScript(body, .on(.path("/held*"), .hold("never", at: .body(200_000))))

    /// Actions that leave files to clean up while the folder is unreachable.
    enum Ending: CaseIterable, Sendable {
        case cancel, remove, sessionRemoval

        func perform(on id: TransferID, _ service: any SessionService) async throws {
            switch self {
            case .cancel: _ = try await service.act(.cancel, on: TransferSelection(ids: [id]))
            case .remove: _ = try await service.act(.remove, on: TransferSelection(ids: [id]))
            case .sessionRemoval: _ = try await service.act(.remove, in: .cli, on: [id])
            }
        }

        func isOver(_ id: TransferID, _ service: any SessionService) async throws -> Bool {
            let listed = try await service.transfers(TransferQuery()).transfers.first { $0.id == id }
            return self == .cancel ? listed?.state == .canceled : listed == nil
        }
    }

    /// Leaves a transfer with its cancel or removal in the journal and with its partial file.
    private func leave(_ ending: Ending, _ disk: FaultyDisk, _ bed: ServiceBed) async throws -> TransferID {
        let id = try await bed.add("/held").id
        try await bed.wait(for: id, received: 200_000)
        disk.fail(.remove, EIO)
        try await ending.perform(on: id, bed.service)
        #expect(bed.files == [".ferry-\(id).part"])
        return id
    }

    private func withTwoServices(
        _ first: @escaping Tweak, _ second: @escaping Tweak, first body: (ServiceBed) async throws -> Void,
        second other: (ServiceBed) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.script) { origin in
                try await withService(.inProcess, origin, outside, keepsState: true, first, body)
                try await withService(.inProcess, origin, outside, keepsState: true, second, other)
            }
        }
    }

    /// Otherwise one failing folder would prevent the start, and with it every command.
    @Test(arguments: Ending.allCases, [ELOOP, EIO, ENOTCONN, ESTALE, EACCES, EROFS])
    func `keep no daemon from starting, and are removed once their folder answers`(
        _ ending: Ending, _ errno: Int32
    ) async throws {
        let (before, after) = (FaultyDisk(), FaultyDisk())
        after.fail(.openFolder, errno)
        var id = TransferID(rawValue: 0)
        // With negligible delays, the first service retries in vain all the time.
        try await withTwoServices({ $0.disk = before }, { $0.disk = after }) { bed in
            id = try await leave(ending, before, bed)
        } second: { bed in
            try await eventually("a look at the folder") { after.events.contains(.failed(.openFolder)) }
            #expect(try await !ending.isOver(id, bed.service))
            #expect(bed.files == [".ferry-\(id).part"])
            after.fail(.openFolder, times: 0)
            try await eventually("the end of the clean-up") { try await ending.isOver(id, bed.service) }
            try await eventually("the partial file's end") { bed.files == [] }
        }
    }

    /// A folder on a dead server does not respond at all.
    @Test(arguments: Ending.allCases) func `delay no transfer where their folder hangs`(_ ending: Ending) async throws {
        let (before, after) = (FaultyDisk(), FaultyDisk())
        let answer = DispatchSemaphore(value: 0)
        defer { answer.signal() }
        let (hanging, hangs) = AsyncStream<Void>.makeStream()
        let isFirst = Mutex(true)
        after.before(.openFolder) {
            let hangsNow = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard hangsNow else { return }
            hangs.yield()
            // The limit only turns a hang into a failure.
            _ = answer.wait(timeout: .now() + 40)
        }
        var id = TransferID(rawValue: 0)
        try await withTwoServices({ $0.disk = before }, { $0.disk = after }) { bed in
            id = try await leave(ending, before, bed)
        } second: { bed in
            for await _ in hanging { break }
            let others = try await bed.add((1...8).map { bed.request("/\($0)") }).map(\.id)
            for other in others { try await bed.wait(for: other, .succeeded) }
            // Actions on all transfers do not wait for it either.
            _ = try await bed.service.act(.pause, in: .cli, on: nil)
            #expect(try await !ending.isOver(id, bed.service))
            answer.signal()
            try await eventually("the end of the clean-up") { try await ending.isOver(id, bed.service) }
        }
    }

    @Test(arguments: Ending.allCases)
    func `are removed later by the same daemon`(_ ending: Ending) async throws {
        let disk = FaultyDisk()
        try await withStoredService(Self.script, { $0.disk = disk }) { bed, _ in
            let id = try await leave(ending, disk, bed)
            disk.fail(.remove, times: 0)
            try await eventually("the end of the clean-up") { try await ending.isOver(id, bed.service) }
            try await eventually("the partial file's end") { bed.files == [] }
        }
    }

    /// The intent is in the journal, but there is no room for the transfer's outcome.
    @Test(arguments: Ending.allCases)
    func `are forgotten by the same daemon once the journal has room`(_ ending: Ending) async throws {
        let room = JournalRoom()
        let tweak: Tweak = { configuration in
            configuration.openJournal = { () async throws(ServiceError) in try room.open() }
            configuration.reached = { if $0 == .actionCommitted || $0 == .cancelCommitted { room.runsOut() } }
        }
        try await withService(.inProcess, Self.script, tweak) { bed in
            let local = try #require(bed.service as? LocalTransferService)
            let id = try await bed.add("/held").id
            try await bed.wait(for: id, received: 200_000)
            try await bed.act(.pause, id)
            try await eventually("the run's end") { await !local.running.contains(id) }
            try? await ending.perform(on: id, bed.service)
            #expect(room.hasRunOut)
            try await eventually("the end of the transfer") {
                let record = try await local.journal.read { reader throws(ServiceError) in try reader.record(id) }
                return ending == .cancel ? record?.outcome?.state == .canceled : record == nil
            }
            #expect(bed.files == [])
        }
    }

    /// A regression: folders that open, but hang when a file in them is removed, took all cleanup threads.
    @Test(arguments: [DiskCall.remove, .openFolder])
    func `hold up those of other file systems nowhere, however many folders hang`(_ call: DiskCall) async throws {
        let (before, after) = (FaultyDisk(), FaultyDisk())
        var (hung, healthy) = ([TransferID](), [TransferID]())
        var hold: DiskHold?
        try await withTwoServices({ $0.disk = before }, { $0.disk = after }) { bed in
            let nas = bed.outside.file("nas")
            func leave(_ folder: String) async throws -> TransferID {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let id = try await bed.add("/held") { $0.file.folder = folder }.id
                try await bed.wait(for: id, received: 200_000)
                before.fail(.remove, EIO)
                _ = try await bed.service.act(.cancel, on: TransferSelection(ids: [id]))
                return id
            }
            for number in 1...12 { hung.append(try await leave(nas + "/\(number)")) }
            for number in 1...3 { healthy.append(try await leave(bed.folder + "/\(number)")) }
            after.setDevice(1, of: nas)
            after.setDevice(2, of: bed.folder)
            hold = after.hold(call, below: nas)
        } second: { bed in
            let hold = try #require(hold)
            defer { hold.release() }
            for id in healthy { try await bed.wait(for: id, .canceled) }
            #expect(hold.count > 0)
            hold.release()
            for id in hung { try await bed.wait(for: id, .canceled) }
        }
    }
}
