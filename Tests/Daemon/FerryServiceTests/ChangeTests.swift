import FerryCore
@testable import FerryService
import FerryQueue
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Changes` {
    private static let body = SeededBody(seed: 6, size: 300_000)

    private func change(_ change: (inout TransferChange) -> Void) -> TransferChange {
        var result = TransferChange()
        change(&result)
        return result
    }

    @Test(arguments: ServiceKind.allCases)
    func `L1 the rate limit of a running transfer changes without reconnecting`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let id = try await bed.add { $0.transport.rateLimit = 1024 }.id
            try await bed.wait(for: id, .running)
            let changed = try await bed.service.change(id, change { $0.rateLimit = 0 })
            #expect(changed.rateLimit == 0)
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `L1 the rate limits of session and service change without reconnecting`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            _ = try await bed.service.changeSession(.cli, to: SessionSettings(rateLimit: 1024))
            try await bed.changeSettings { $0.rateLimit = 1024 }
            let id = try await bed.add().id
            try await bed.wait(for: id, .running)
            let info = try await bed.service.changeSession(.cli, to: SessionSettings())
            #expect(info.settings.rateLimit == 0)
            try await bed.changeSettings { $0.rateLimit = 0 }
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `the priority of a running transfer changes without reconnecting`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("middle", at: .body(100_000)))
        try await withService(kind, script) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, received: 100_000)
            #expect(try await bed.service.change(id, change { $0.priority = .high }).priority == .high)
            bed.origin.release("middle")
            #expect(try await bed.wait(for: id, .succeeded).priority == .high)
            #expect(bed.ranges() == [nil])
        }
    }

    @Test(arguments: ServiceKind.allCases, [TransferAction.remove, .removeWithFile])
    func `removing by a change returns the transfer as it was last`(
        _ kind: ServiceKind, action: TransferAction
    ) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, .succeeded)
            let last = try await bed.service.change(id, change { $0.action = action })
            #expect(last.id == id && last.state == .succeeded)
            let error = await #expect(throws: ServiceError.self) { try await bed.service.transfer(id) }
            #expect(error?.code == .unknownTransfer)
            #expect(bed.files.isEmpty == (action == .removeWithFile))
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F1 a running transfer gets another name without another request`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("middle", at: .body(100_000)))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.file.name = ".hidden" }.id
            try await bed.wait(for: id, received: 100_000)
            let renamed = try await bed.service.change(id, change { $0.name = "new.bin" })
            #expect(renamed.names.chosen == "new.bin" && renamed.destination == bed.folder + "/new.bin")
            bed.origin.release("middle")
            #expect(try await bed.wait(for: id, .succeeded).destination == bed.folder + "/new.bin")
            #expect(bed.files == ["new.bin"] && bed.ranges() == [nil])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F1 a name given to a running transfer survives its next attempt`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(100_000))))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.file.name = ".hidden" }.id
            try await bed.wait(for: id, received: 100_000)
            _ = try await bed.service.change(id, change { $0.name = "new.bin" })
            _ = try await bed.service.act(.pause, on: TransferSelection(ids: [id]))
            _ = try await bed.service.act(.resume, on: TransferSelection(ids: [id]))
            #expect(try await bed.wait(for: id, .succeeded).destination == bed.folder + "/new.bin")
            #expect(bed.files == ["new.bin"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F1 the last of two names counts, before and after a resumption`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .hold("never", at: .body(100_000))), .always(.hold("end", at: .body(150_000))))
        try await withService(kind, script) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, received: 100_000)
            _ = try await bed.service.act(.pause, on: TransferSelection(ids: [id]))
            _ = try await bed.service.change(id, change { $0.name = "first.bin" })
            _ = try await bed.service.act(.resume, on: TransferSelection(ids: [id]))
            await bed.origin.waitForHold("end")
            _ = try await bed.service.change(id, change { $0.name = "second.bin" })
            bed.origin.release("end")
            #expect(try await bed.wait(for: id, .succeeded).destination == bed.folder + "/second.bin")
            #expect(bed.files == ["second.bin"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F6 a name given to a running transfer is numbered if it is taken`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("middle", at: .body(100_000)))
        try await withService(kind, script) { bed in
            try Data("mine".utf8).write(to: URL(filePath: bed.folder + "/new.bin"))
            let id = try await bed.add { $0.file.name = ".hidden" }.id
            try await bed.wait(for: id, received: 100_000)
            _ = try await bed.service.change(id, change { $0.name = "new.bin" })
            #expect(
                await #expect(throws: ServiceError.self) {
                    try await bed.service.change(id, change { $0.name = "below/new.bin" })
                }?.code == .invalidRequest)
            bed.origin.release("middle")
            #expect(try await bed.wait(for: id, .succeeded).destination == bed.folder + "/new-1.bin")
            #expect(bed.files == ["new-1.bin", "new.bin"])
        }
    }

    @Test func `a failed transfer gets another folder before its last attempt has given its slot back`() throws {
        let change = change { $0.folder = "/else" }
        var record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Date(timeIntervalSince1970: 999_000),
            request: TransferRequest(url: "https://a.test/file.bin", folder: "/f"), credentials: nil)
        record.intent = .suspend
        #expect(throws: ServiceError.self) { try change.applied(to: record, in: .placing, now: Date()) }
        record.intent = .run
        record.outcome = .failed(ServiceError(.placementFailed, "The name is taken."))
        #expect(try change.applied(to: record, in: .placing, now: Date()).request.file.folder == "/else")
    }

    @Test(arguments: ServiceKind.allCases)
    func `changes at the same time are all made`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            for _ in 0..<10 {
                let id = try await bed.add { $0.timing.paused = true }.id
                async let priority = bed.service.change(id, change { $0.priority = .high })
                async let rate = bed.service.change(id, change { $0.rateLimit = 5000 })
                _ = try await (priority, rate)
                let changed = try await bed.service.transfer(id)
                #expect(changed.priority == .high && changed.rateLimit == 5000)
                var first = ServiceSettingsChange()
                first.connectionsPerHost = 3
                var second = ServiceSettingsChange()
                second.connectionsTotal = 7
                async let one = bed.service.changeSettings(first)
                async let other = bed.service.changeSettings(second)
                _ = try await (one, other)
                let settings = try await bed.service.settings()
                #expect(settings.connectionsPerHost == 3 && settings.connectionsTotal == 7)
                try await bed.changeSettings {
                    $0.connectionsPerHost = 8
                    $0.connectionsTotal = 128
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `R13 a running transfer continues at its new address`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.path("/old"), .hold("never", at: .body(200_000))))
        try await withService(kind, script) { bed in
            let id = try await bed.add("/old").id
            try await bed.wait(for: id, received: 200_000)
            let changed = try await bed.service.change(id, change { $0.url = bed.origin.url("/new") })
            #expect(changed.url == bed.origin.url("/new"))
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges("/new") == ["bytes=200000-"])
            #expect(try FileDigest.sha256(bed.folder + "/old") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `R13 a transfer whose address has expired continues at a new one`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.path("/old").and(.pathRequests(1...1)), .cut(after: 200_000)),
            .on(.path("/old").and(.pathRequests(2...)), .status(410)))
        try await withService(kind, script) { bed in
            let id = try await bed.add("/old") { $0.timing.retries = 1 }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .urlExpired && failed.bytesReceived == 200_000)
            let retried = change {
                $0.url = bed.origin.url("/new")
                $0.action = .retry
            }
            _ = try await bed.service.change(id, retried)
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges("/new") == ["bytes=200000-"])
        }
    }

    @Test func `R13 a new address that arrives while an attempt at the old one settles is asked at once`() async throws
    {
        let script = OriginScript(
            Self.body, .on(.path("/held"), .hold("first", at: .body(50))), .on(.path("/old"), .status(403)))
        try await withStoredService(script) { bed, local in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            try await bed.wait(for: try await bed.add("/held").id, received: 50)
            let id = try await bed.add("/old") { $0.timing.retryRule = RetryRule(expiredStatusCodes: [403]) }.id
            let url = bed.origin.url("/new")
            try await duringCommit(local) { end in
                await local.giveSlots(2)
                async let changed = bed.service.change(id, change { $0.url = url })
                try await eventually("the change") { await local.isOperatedOn(id) }
                #expect(await local.running.contains(id))
                await bed.origin.wait { $0.requests.contains { $0.path == "/old" } }
                for _ in 0..<50 { _ = try await bed.service.transfer(id) }
                end()
                _ = try await changed
            }
            bed.origin.release("first")
            try await bed.wait(for: id, .succeeded)
            #expect(bed.origin.requests.map(\.path) == ["/held", "/old", "/new"])
        }
    }

    @Test func `a transfer gets no slot while its new name is being stored`() async throws {
        let script = OriginScript(Self.body, .on(.path("/held"), .hold("first", at: .body(50))))
        try await withStoredService(script) { bed, local in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            try await bed.wait(for: try await bed.add("/held").id, received: 50)
            let id = try await bed.add("/a").id
            try await duringCommit(local) { end in
                async let changed = bed.service.change(id, change { $0.name = "b" })
                try await eventually("the change") { await local.isOperatedOn(id) }
                await local.giveSlots(2)
                #expect(await !local.running.contains(id))
                end()
                _ = try await changed
            }
            bed.origin.release("first")
            let placed = try await bed.wait(for: id, .succeeded)
            #expect(placed.destination == bed.folder + "/b")
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `R13 a transfer that waits for a retry asks its new address at once`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.path("/old"), .status(500)))
        try await withService(kind, script, { $0.delayScale = 1000 }) { bed in
            let id = try await bed.add("/old").id
            try await bed.wait(for: id, waiting: .retry)
            _ = try await bed.service.change(id, change { $0.url = bed.origin.url("/new") })
            try await bed.wait(for: id, .succeeded)
            #expect(bed.asked == ["/old", "/new"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a bad change is refused and changes nothing`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let id = try await bed.add { $0.timing.paused = true }.id
            let before = try await bed.service.transfer(id)
            let bad: [TransferChange] = [
                change { $0.url = "ftp://example.com/" }, change { $0.rateLimit = 5 }, change { $0.name = ".." },
                change { $0.folder = "here" },
            ]
            for change in bad {
                await #expect(throws: ServiceError.self) { try await bed.service.change(id, change) }
            }
            #expect(try await bed.service.transfer(id) == before)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a transfer without bytes gets another name and folder`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let id = try await bed.add {
                $0.timing.paused = true
                $0.file.name = "old"
            }.id
            let renamed = change {
                $0.name = "new"
                $0.folder = bed.folder + "/deeper"
                $0.action = .resume
            }
            _ = try await bed.service.change(id, renamed)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.destination == bed.folder + "/deeper/new")
        }
    }

    // MARK: Settings

    @Test(arguments: ServiceKind.allCases)
    func `settings out of their range are refused and change nothing`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let before = try await bed.service.settings()
            let bad: [(inout ServiceSettingsChange) -> Void] = [
                { $0.activeTransfers = 0 }, { $0.activeTransfers = 1001 }, { $0.connectionsPerHost = 65 },
                { $0.connectionsTotal = 0 }, { $0.rateLimit = 1023 }, { $0.reserve = -1 },
            ]
            for change in bad {
                let error = await #expect(throws: ServiceError.self) { try await bed.changeSettings(change) }
                #expect(error?.code == .invalidRequest)
            }
            for settings in [SessionSettings(activeTransfers: 0), SessionSettings(rateLimit: 7)] {
                let error = await #expect(throws: ServiceError.self) {
                    try await bed.service.changeSession(.cli, to: settings)
                }
                #expect(error?.code == .invalidRequest)
            }
            #expect(try await bed.service.settings() == before)
            try await bed.changeSettings { $0.reserve = 0 }
            var after = before
            after.reserve = 0
            #expect(try await bed.service.settings() == after)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `L1 L7 a change of settings takes effect at once`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("all", at: .head))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let transfers = try await bed.add((0..<3).map { bed.request("/\($0)") })
            try await bed.wait(for: transfers[0].id, .running)
            try await bed.wait(for: transfers[2].id, waiting: .slot)
            try await bed.changeSettings { $0.activeTransfers = 3 }
            for transfer in transfers { try await bed.wait(for: transfer.id, .running) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a change just before a transfer gets its slot holds`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.path("/0"), .hold("first", at: .head)))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let transfers = try await bed.add((0..<5).map { bed.request("/\($0)") })
            await bed.origin.wait { $0.held.count == 1 }
            let url = bed.origin.url("/other")
            _ = try await bed.service.change(transfers[2].id, change { $0.url = url })
            _ = try await bed.service.act(.pause, on: TransferSelection(ids: [transfers[3].id]))
            bed.origin.release("first")
            for index in [0, 1, 2, 4] { try await bed.wait(for: transfers[index].id, .succeeded) }
            #expect(bed.origin.requests.map(\.path) == ["/0", "/1", "/other", "/4"])
            #expect(try await bed.service.transfer(transfers[3].id).state == .suspended)
        }
    }
}
