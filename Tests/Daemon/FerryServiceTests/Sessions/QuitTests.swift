import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `An app that its user quits` {
    private static let body = SeededBody(seed: 6, size: 400_000)
    private static let held = OriginScript(body, .on(.request(1), .hold("rest", at: .body(200_000))))

    @Test(arguments: ServiceKind.allCases)
    func `60 its tasks end as canceled, with what continues them`(kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.held) { origin in
                var running: TransferID?
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    let app = try await bed.attach()
                    let id = try await bed.task(1)
                    let created = try await bed.task(2) { $0.timing.paused = true }
                    await origin.waitForHold("rest")
                    try await bed.wait(for: id, received: 200_000)
                    let results = try await bed.service.quit(.session(bed.attachment().session()))
                    #expect(results.map(\.id) == [id, created])
                    #expect(results.allSatisfy { $0.state == .canceled })
                    for id in [id, created] {
                        let transfer = try await bed.service.transfer(id)
                        #expect(transfer.state == .canceled)
                        #expect(transfer.error?.details.cancelReason == 0)
                    }
                    #expect(try await bed.service.release(created) == nil)
                    try await eventually("the app is told") { app.kinds.count { $0 == .canceled } == 2 }
                    await app.leave()
                    running = id
                    origin.release("rest")
                }
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    let id = try #require(running)
                    let source = try #require(await bed.service.release(id))
                    #expect(source.offset == 200_000)
                    let next = try await bed.task(3) { $0.file.continues = source }
                    try await bed.wait(for: next, .succeeded)
                    #expect(bed.ranges().last == "bytes=200000-")
                }
            }
        }
    }

    @Test func `61 is not quit by a daemon that is about to end`() async throws {
        try await withService(.inProcess, Self.held) { bed in
            let app = try await bed.attach()
            let id = try await bed.task(1)
            await bed.origin.waitForHold("rest")
            await (bed.service as? LocalTransferService)?.prepareToEnd()
            let error = await #expect(throws: ServiceError.self) {
                try await bed.service.quit(.application(ServiceBed.application))
            }
            #expect(error?.code == .daemonUnreachable)
            // The transfer stops with the daemon and has not finished.
            #expect(try await bed.service.transfer(id).times.end == nil)
            await app.leave()
            bed.origin.release("rest")
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `60 is not started until its user has started it`(kind: ServiceKind) async throws {
        try await withService(kind, Self.held) { bed in
            try await bed.registerCommand()
            let app = try await bed.attach()
            try await bed.task(1)
            await bed.origin.waitForHold("rest")
            _ = try await bed.service.quit(.application(ServiceBed.application))
            bed.origin.release("rest")
            // A process that was quit but still runs produces no events for which the app is launched.
            let id = try await bed.task(2, "/other.bin")
            try await bed.wait(for: id, .succeeded)
            await app.leave()
            let again = try await bed.attach()
            let third = try await bed.task(3, "/third.bin")
            try await bed.wait(for: third, .succeeded)
            #expect(bed.launches == [])
            await again.leave()
            try await eventually("the app is started") { bed.launches.count == 1 }
            bed.endLaunched()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `60 only the session that is named ends`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let app = try await bed.attach()
            let other = try await bed.attach("other")
            let stays = try await bed.task(1) { $0.timing.paused = true }
            let ends = try await bed.task(1, in: "other") { $0.timing.paused = true }
            _ = try await bed.service.quit(.session(bed.attachment("other").session()))
            #expect(try await bed.service.transfer(stays).state == .suspended)
            #expect(try await bed.service.transfer(ends).state == .canceled)
            await #expect {
                _ = try await bed.service.quit(.session(SessionID("org.example.app/unknown")))
            } throws: {
                ($0 as? ServiceError)?.code == .invalidRequest
            }
            await app.leave()
            await other.leave()
        }
    }
}
