import FerryCore
@testable import FerryQueue
@testable import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Bounded time` {
    /// The first response stops and keeps the only slot.
    private static let held = OriginScript(
        SeededBody(seed: 3, size: 100), .on(.path("/held"), .hold("never", at: .body(50))))

    private func list(
        _ bed: ServiceBed, _ paths: [String], _ change: (inout TransferRequest) -> Void
    ) -> TransferBatch {
        var template = TransferRequest(url: "", folder: bed.folder)
        change(&template)
        return TransferBatch(template: template, urls: URLLines(paths.map { bed.origin.url($0) }))
    }

    /// Starts a transfer that keeps the only slot. After a restart, all others precede it.
    private func hold(_ bed: ServiceBed) async throws {
        try await bed.changeSettings { $0.activeTransfers = 1 }
        try await bed.wait(for: try await bed.add("/held") { $0.timing.priority = .low }.id, received: 50)
    }

    @Test(arguments: ServiceKind.allCases, [0.05, 7200])
    func `ends also transfers that wait in the journal alone`(_ kind: ServiceKind, _ lookAhead: Double) async throws {
        try await withService(kind, Self.held, { $0.lookAhead = lookAhead }) { bed in
            try await hold(bed)
            let urls = list(bed, (1...260).map { "/\($0)" }) { $0.timing.resourceTimeout = 0.4 }
            let ids = try await bed.service.submit(urls).ids
            for id in ids.reversed() {
                let failed = try await bed.wait(for: id, .failed)
                #expect(failed.error?.code == .deadlineExceeded && failed.attempts == 0)
            }
            #expect(bed.asked == ["/held"])
        }
    }

    @Test(arguments: [0.05, 7200])
    func `ends transfers that wait since before a restart, and running ones`(_ lookAhead: Double) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.held) { origin in
                var ids: [TransferID] = []
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    try await hold(bed)
                    ids = try await bed.service.submit(list(bed, ["/held", "/b"]) { $0.timing.resourceTimeout = 1 }).ids
                }
                try await withService(.inProcess, origin, outside, keepsState: true, { $0.lookAhead = lookAhead }) {
                    bed in
                    for id in ids {
                        let failed = try await bed.wait(for: id, .failed)
                        #expect(failed.error?.code == .deadlineExceeded)
                    }
                }
            }
        }
    }

    /// Runs `body` with a service that was not running when the deadline of its waiting transfers passed.
    private func afterDeadline(
        _ submit: (ServiceBed, Date) async throws -> [TransferID],
        _ body: (ServiceBed, [TransferID]) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.held) { origin in
                var ids: [TransferID] = []
                let deadline = Date(timeIntervalSinceNow: 0.5)
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    try await hold(bed)
                    ids = try await submit(bed, deadline)
                }
                try await eventually("the deadline") { Date() > deadline }
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in try await body(bed, ids) }
            }
        }
    }

    @Test func `is no reason to ask once it is over`() async throws {
        try await afterDeadline { bed, deadline in
            try await bed.add((1...20).map { bed.request("/\($0)") { $0.timing.deadline = deadline } }).map(\.id)
        } _: { bed, ids in
            for id in ids {
                let failed = try await bed.wait(for: id, .failed)
                #expect(failed.error?.code == .deadlineExceeded)
            }
            #expect(bed.asked.allSatisfy { $0 == "/held" })
        }
    }

    /// Some of them have just got a slot, or are just being read from the journal.
    @Test func `ends each transfer once, though many are over at a start`() async throws {
        try await afterDeadline { bed, deadline in
            try await bed.service.submit(list(bed, (1...600).map { "/\($0)" }) { $0.timing.deadline = deadline }).ids
        } _: { bed, ids in
            try await bed.changeSettings {
                $0.activeTransfers = 16
                $0.connectionsPerHost = 16
            }
            for id in ids { try await bed.wait(for: id, .failed) }
            let last = try await bed.add { $0.timing.paused = true }.id
            var subscription = EventSubscription()
            subscription.after = 0
            var failed: [TransferID: Int] = [:]
            for try await event in try await bed.service.events(subscription) {
                if event.kind == .failed { failed[event.id, default: 0] += 1 }
                if event.kind == .submitted, event.id == last { break }
            }
            #expect(failed == Dictionary(uniqueKeysWithValues: ids.map { ($0, 1) }))
        }
    }

    @Test(arguments: [0.05, 7200])
    func `is stored later where the journal has no room`(_ lookAhead: Double) async throws {
        let tweak: Tweak = { configuration in
            configuration.lookAhead = lookAhead
            configuration.openJournal = openSQLiteInMemory
        }
        try await withService(.inProcess, Self.held, tweak) { bed in
            let local = try #require(bed.service as? LocalTransferService)
            try await hold(bed)
            let ids = try await bed.service.submit(
                list(bed, (1...300).map { "/\($0)" }) { $0.timing.resourceTimeout = 1 }
            ).ids
            try await withoutRoom(local) {
                try await eventually("a full journal") { await !local.waitingTransfers.waiting(for: .disk).isEmpty }
            }
            for id in ids { try await bed.wait(for: id, .failed) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `does not pass while a transfer is suspended`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.held, { $0.lookAhead = 0.05 }) { bed in
            try await hold(bed)
            let paused = try await bed.add("/a") {
                $0.timing.paused = true
                $0.timing.resourceTimeout = 0.1
            }.id
            // Its own timeout shows that the other one's would have expired.
            let other = try await bed.add("/b") { $0.timing.resourceTimeout = 0.3 }.id
            try await bed.wait(for: other, .failed)
            #expect(try await bed.service.transfer(paused).state == .suspended)
            try await bed.act(.resume, paused)
            #expect(try await bed.wait(for: paused, .failed).error?.code == .deadlineExceeded)
        }
    }

    /// The pause extends the time, so the alarm set at the first start rings early.
    @Test(arguments: ServiceKind.allCases)
    func `that a pause has put off ends a transfer when it passes`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(always: .hold("never", at: .head))) { bed in
            let id = try await bed.add { $0.timing.resourceTimeout = 1 }.id
            try await bed.wait(for: id, .running)
            try await bed.act(.pause, id)
            let paused = Date()
            try await eventually("a part of the time") { Date() > paused.addingTimeInterval(0.4) }
            let rest = Date().timeIntervalSince(paused)
            try await bed.act(.resume, id)
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .deadlineExceeded)
            let end = try #require(failed.times.end)
            #expect(end.timeIntervalSince(failed.createdAt) > rest + 0.99)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `that passed while a transfer was suspended ends it once it resumes`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.held) { bed in
            try await hold(bed)
            let deadline = Date(timeIntervalSinceNow: 0.1)
            let paused = try await bed.add("/a") {
                $0.timing.paused = true
                $0.timing.deadline = deadline
            }.id
            try await eventually("the deadline") { Date() > deadline }
            #expect(try await bed.service.transfer(paused).state == .suspended)
            try await bed.act(.resume, paused)
            let failed = try await bed.wait(for: paused, .failed)
            #expect(failed.error?.code == .deadlineExceeded && failed.attempts == 0)
        }
    }

    /// Thousands of transfers that wait for days cost nothing at the start. They are neither read nor given alarms.
    @Test func `costs a start the transfers due soon, not the waiting ones`() async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.held) { origin in
                var near: [TransferID] = []
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    try await hold(bed)
                    let far = list(bed, (1...5000).map { "/\($0)" }) { $0.timing.resourceTimeout = 7 * 86_400 }
                    _ = try await bed.service.submit(far)
                    near = try await bed.service.submit(
                        list(bed, (1...300).map { "/near/\($0)" }) { request in
                            request.timing.resourceTimeout = 7 * 86_400
                            request.timing.deadline = Date(timeIntervalSinceNow: 3600)
                        }
                    ).ids
                    let local = try #require(bed.service as? LocalTransferService)
                    #expect(await local.haveAlarms == Set(near))
                }
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    let local = try #require(bed.service as? LocalTransferService)
                    try await eventually("alarms") { await local.haveAlarms == Set(near) }
                    // The first transfers of each of the two queues.
                    #expect(await local.waitingTransfers.count <= 2 * Queue.lineWindow)
                }
            }
        }
    }
}

extension LocalTransferService {
    /// Transfers with an alarm for their deadline.
    fileprivate var haveAlarms: Set<TransferID> { queue.waitingTransfers.haveAlarms }
}
