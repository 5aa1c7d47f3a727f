import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The session of a manager` {
    private static let body = SeededBody(seed: 6, size: 400_000)
    private static let held = OriginScript(body, .on(.request(1), .hold("rest", at: .body(200_000))))

    @Test(arguments: ServiceKind.allCases)
    func `has a name of its own, and is open in one process`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            #expect(try bed.session.name == "org.example.app:managed")
            let manager = try await bed.attachManager()
            let other = try await bed.attach(ServiceBed.managed, process: 1)
            await #expect {
                _ = try await bed.attachManager { $0.process = 1 }
            } throws: {
                ($0 as? ServiceError)?.code == .sessionInUse
            }
            await manager.leave()
            await other.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `P2 keeps its order and settings while no process has it open, and over restarts`(
        _ kind: ServiceKind
    ) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var settings = SessionSettings(activeTransfers: 3, hostConnections: 2)
                settings.network = NetworkPolicy(allowsCellular: false)
                settings.idleTimeout = 60
                settings.inOrder = true
                var order: [TransferID] = []
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    let app = try await bed.attachManager()
                    #expect(app.attached?.order == [])
                    let ids = try await bed.submit(bed.batch(["/a", "/b", "/c"]) { $0.timing.paused = true })
                    order = [ids[2], ids[0], ids[1]]
                    try await bed.service.reorder(bed.session, TransferIDRuns(order))
                    _ = try await bed.service.changeSession(bed.session, to: settings)
                    await app.leave()
                    let again = try await bed.attachManager()
                    #expect(again.attached?.order == order)
                    #expect(try await bed.service.sessions().map(\.settings) == [settings])
                    await again.leave()
                }
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    let app = try await bed.attachManager()
                    #expect(app.attached?.order == order)
                    #expect(try await bed.service.sessions().map(\.settings) == [settings])
                    try await bed.perform(.remove, on: [order[0]])
                    try await bed.service.reorder(bed.session, TransferIDRuns(order))
                    await app.leave()
                    let again = try await bed.attachManager()
                    #expect(again.attached?.order == Array(order.dropFirst()))
                    await again.leave()
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `sets the connections to one host only where it says so`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("all", at: .head))
        try await withService(kind, script) { bed in
            _ = try await bed.service.changeSession(bed.session, to: SessionSettings(hostConnections: 2))
            let app = try await bed.attachManager()
            let ids = try await bed.submit(bed.batch(["/a", "/b", "/c"]))
            try await bed.wait(for: ids[2], waiting: .host)
            for id in ids.prefix(2) { try await bed.wait(for: id, .running) }
            await app.leave()
            let next = try await bed.attachManager { $0.connectionsPerHost = 3 }
            try await bed.wait(for: ids[2], .running)
            bed.origin.release("all")
            for id in ids { try await bed.wait(for: id, .succeeded) }
            await next.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `P4 suspends when its user quits it, and resumes from its bytes`(_ kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.held) { origin in
                var quit: [TransferID] = []
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    try await bed.registerCommand()
                    let app = try await bed.attachManager()
                    try await bed.limitManager(to: 1)
                    let ids = try await bed.submit(bed.batch(["/running", "/waiting"]))
                    let paused = try await bed.submit(bed.batch(["/paused"]) { $0.timing.paused = true })
                    await origin.waitForHold("rest")
                    try await bed.wait(for: ids[0], received: 200_000)
                    let results = try await bed.service.quit(.application(ServiceBed.application))
                    #expect(results.map(\.id) == ids && results.allSatisfy { $0.state == .suspended })
                    let states = try await bed.transfers.map(\.state)
                    #expect(states == [.suspended, .suspended, .suspended])
                    await app.leave()
                    #expect(bed.launches == [])
                    quit = ids + paused
                }
                origin.release("rest")
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    #expect(try await bed.transfers.map(\.state) == [.suspended, .suspended, .suspended])
                    #expect(try await bed.service.transfer(quit[0]).bytesReceived == 200_000)
                    let app = try await bed.attachManager()
                    try await bed.perform(.start)
                    for id in quit { try await bed.wait(for: id, .succeeded) }
                    #expect(bed.ranges("/running") == [nil, "bytes=200000-"])
                    #expect(bed.launches == [])
                    await app.leave()
                    // The user has started the app since. It is still launched for the events while it was open.
                    try await eventually("the app is started") { bed.launches.count == 1 }
                    bed.endLaunched()
                }
            }
        }
    }
}
