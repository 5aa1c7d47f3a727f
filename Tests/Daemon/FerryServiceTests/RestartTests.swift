import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Restarts` {
    private static let body = SeededBody(seed: 12, size: 300_000)

    /// Runs two closures with two successive services on the same state.
    private func withTwoServices(
        _ kind: ServiceKind, _ script: OriginScript, _ tweak: @escaping Tweak = { _ in },
        first: (ServiceBed) async throws -> Void, second: (ServiceBed) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(script) { origin in
                try await withService(kind, origin, outside, keepsState: true, tweak, first)
                try await withService(kind, origin, outside, keepsState: true, tweak, second)
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `D3 a running transfer resumes from its bytes, a waiting one runs, a suspended one stays`(
        _ kind: ServiceKind
    ) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(200_000))))
        var ids: [TransferID] = []
        try await withTwoServices(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let running = try await bed.add("/running").id
            try await bed.wait(for: running, received: 200_000)
            let others = try await bed.add([
                bed.request("/waiting"), bed.request("/paused") { $0.timing.paused = true },
            ])
            ids = [running] + others.map(\.id)
        } second: { bed in
            #expect(try await bed.service.settings().activeTransfers == 1)
            for id in ids[..<2] { try await bed.wait(for: id, .succeeded) }
            #expect(bed.ranges("/running") == [nil, "bytes=200000-"])
            #expect(try await bed.service.transfer(ids[2]).state == .suspended)
            #expect(try FileDigest.sha256(bed.folder + "/running") == Self.body.sha256Hex)
            #expect(bed.files == ["running", "waiting"])
            let new = try await bed.add("/new") { $0.timing.paused = true }
            #expect(new.id > ids[2])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T7 a delay continues after a restart`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(500)))
        var before: Transfer?
        try await withTwoServices(kind, script, { $0.delayScale = 1000 }) { bed in
            let id = try await bed.add().id
            before = try await bed.wait(for: id, waiting: .retry)
        } second: { bed in
            let before = try #require(before)
            let after = try await bed.service.transfer(before.id)
            #expect(after.state == .waiting && after.reason == .retry && after.attempts == 1)
            #expect(after.times.nextAttempt == before.times.nextAttempt && after.error == before.error)
            try await bed.act(.resume, before.id)
            try await bed.wait(for: before.id, .succeeded)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T6 a deadline counts after a restart, also for waiting transfers`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(500)))
        var id: TransferID?
        try await withTwoServices(kind, script, { $0.delayScale = 1000 }) { bed in
            let deadline = Date(timeIntervalSinceNow: 1)
            id = try await bed.add { $0.timing.deadline = deadline }.id
            try await bed.wait(for: try #require(id), "a failure") { $0.error != nil }
        } second: { bed in
            let failed = try await bed.wait(for: try #require(id), .failed)
            #expect(failed.error?.code == .deadlineExceeded)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `events, sessions and settings outlive a service`(_ kind: ServiceKind) async throws {
        let session = try SessionID("mine")
        try await withTwoServices(kind, OriginScript(Self.body)) { bed in
            _ = try await bed.service.changeSession(session, to: SessionSettings(activeTransfers: 2))
            let done = try await bed.add { $0.session = session }
            try await bed.wait(for: done.id, .succeeded)
        } second: { bed in
            #expect(try await bed.service.status().lastEvent == 2)
            var subscription = EventSubscription()
            subscription.after = 0
            subscription.session = session
            var kinds: [TransferEvent.Kind] = []
            for try await event in try await bed.service.events(subscription) {
                kinds.append(event.kind)
                if kinds.count == 2 { break }
            }
            #expect(kinds == [.submitted, .succeeded])
            let sessions = try await bed.service.sessions()
            #expect(sessions.map(\.settings.activeTransfers) == [2])
            // A later event gets the next number.
            let next = try await bed.add { $0.timing.paused = true }
            #expect(try await bed.service.status().lastEvent == 3)
            #expect(try await bed.service.transfer(next.id).state == .suspended)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a shutdown in the middle of many transfers loses none`(_ kind: ServiceKind) async throws {
        let small = SeededBody(seed: 4, size: 50_000)
        var ids: [TransferID] = []
        try await withTwoServices(kind, OriginScript(small)) { bed in
            ids = try await bed.add((0..<100).map { bed.request("/\($0)") }).map(\.id)
            await bed.origin.waitForRequests(20)
        } second: { bed in
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.files.count == 100)
            for name in bed.files { #expect(try FileDigest.sha256(bed.folder + "/" + name) == small.sha256Hex) }
        }
    }
}
