import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Lists` {
    private func query(_ change: (inout TransferQuery) -> Void) -> TransferQuery {
        var result = TransferQuery()
        change(&result)
        return result
    }

    @Test(arguments: ServiceKind.allCases)
    func `pages follow one another without gap or overlap`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let ids = try await bed.add(
                (0..<25).map { number in bed.request("/\(number)") { $0.timing.paused = true } }
            )
            .map(\.id)
            for newestFirst in [false, true] {
                var found: [TransferID] = []
                var sizes: [Int] = []
                var after: TransferID?
                repeat {
                    let page = try await bed.service.transfers(
                        query {
                            $0.limit = 10
                            $0.after = after
                            $0.newestFirst = newestFirst
                        })
                    found += page.transfers.map(\.id)
                    sizes.append(page.transfers.count)
                    after = page.next
                } while after != nil
                #expect(found == (newestFirst ? ids.reversed() : ids))
                #expect(sizes == [10, 10, 5])
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a page that is just full is the last`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try await bed.add((0..<10).map { number in bed.request("/\(number)") { $0.timing.paused = true } })
            let page = try await bed.service.transfers(query { $0.limit = 10 })
            #expect(page.transfers.count == 10 && page.next == nil)
        }
    }

    @Test(arguments: [0, 1001, -1], ServiceKind.allCases)
    func `a page has 1 to 1000 transfers`(_ limit: Int, _ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let error = await #expect(throws: ServiceError.self) {
                try await bed.service.transfers(query { $0.limit = limit })
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `lists are filtered by state, session and tag`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            SeededBody(seed: 1, size: 1000), .on(.path("/held*"), .hold("never", at: .head)),
            .on(.path("/gone"), .status(404)))
        try await withService(kind, script) { bed in
            let other = try SessionID("other")
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let done = try await bed.add("/done") { $0.tags = ["x", "y"] }.id
            try await bed.wait(for: done, .succeeded)
            let failed = try await bed.add("/gone") { $0.session = other }.id
            try await bed.wait(for: failed, .failed)
            let running = try await bed.add("/held").id
            try await bed.wait(for: running, .running)
            let waiting = try await bed.add("/held2") { $0.tags = ["y"] }.id
            let suspended = try await bed.add("/paused") { $0.timing.paused = true }.id
            let canceled = try await bed.add("/canceled") { $0.timing.paused = true }.id
            try await bed.act(.cancel, canceled)

            func list(_ change: (inout TransferQuery) -> Void) async throws -> [TransferID] {
                try await bed.service.transfers(query(change)).transfers.map(\.id)
            }
            #expect(try await list { $0.states = [.succeeded] } == [done])
            #expect(try await list { $0.states = [.failed] } == [failed])
            #expect(try await list { $0.states = [.running] } == [running])
            #expect(try await list { $0.states = [.waiting] } == [waiting])
            #expect(try await list { $0.states = [.suspended] } == [suspended])
            #expect(try await list { $0.states = [.canceled] } == [canceled])
            #expect(try await list { $0.states = [.waiting, .running] } == [running, waiting])
            #expect(try await list { $0.states = [.succeeded, .running] } == [done, running])
            #expect(try await list { $0.session = other } == [failed])
            #expect(try await list { $0.tag = "y" } == [done, waiting])
            #expect(try await list { $0.tag = "x" } == [done])
            #expect(try await list { $0.tag = "z" } == [])

            let counts = try await bed.service.status().transfers
            #expect(
                counts == [
                    "waiting": 1, "running": 1, "suspended": 1, "succeeded": 1, "failed": 1, "canceled": 1,
                ])
            let sessions = try await bed.service.sessions()
            #expect(Set(sessions.map(\.id)) == [.cli, other])
            let info = try #require(sessions.first { $0.id == other })
            #expect(info.transfers["failed"] == 1 && info.transfers["running"] == 0)
        }
    }

    /// A filter on live state still fills its pages.
    @Test(arguments: ServiceKind.allCases)
    func `a filtered page is not shortened by its omissions`(_ kind: ServiceKind) async throws {
        let script = OriginScript(SeededBody(seed: 1, size: 1000), always: .hold("never", at: .head))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 4 }
            let ids = try await bed.add((0..<10).map { bed.request("/\($0)") }).map(\.id)
            for id in ids[..<4] { try await bed.wait(for: id, .running) }
            let page = try await bed.service.transfers(
                query {
                    $0.states = [.waiting]
                    $0.limit = 3
                })
            #expect(page.transfers.map(\.id) == Array(ids[4..<7]))
            try await bed.changeSettings { $0.connectionsPerHost = 8 }
            let suspended = try await bed.add("/paused") { $0.timing.paused = true }.id
            let mixed = try await bed.service.transfers(
                query {
                    $0.states = [.running, .suspended]
                    $0.limit = 5
                })
            #expect(mixed.transfers.map(\.id) == Array(ids[..<4]) + [suspended])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a session with settings of its own is listed without a transfer`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            #expect(try await bed.service.sessions() == [])
            let id = try SessionID("mine / 100 % ä")
            let settings = SessionSettings(activeTransfers: 3, rateLimit: 4096)
            let changed = try await bed.service.changeSession(id, to: settings)
            #expect(changed.id == id && changed.settings == settings)
            #expect(try await bed.service.sessions() == [changed])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `the status has version, process and warnings`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let status = try await bed.service.status()
            #expect(status.version == FerryVersion.current && status.pid == getpid())
            #expect(status.warnings == [] && status.lastEvent == 0)
        }
    }
}
