import FerryCore
import FerryQueue
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Holds` {
    private static let body = SeededBody(seed: 71, size: 30_000)

    /// Returns a script: the first request for a path gets this status, all others the file.
    private func busy(_ seconds: Int, for path: String = "/1", status: Int = 503) -> OriginScript {
        OriginScript(
            Self.body,
            .on(.path(path).and(.pathRequests(1...1)), .status(status, retryAfter: "\(seconds)")))
    }

    /// The Retry-After of a redirect's target must not delay the redirecting origin.
    @Test(arguments: ServiceKind.allCases)
    func `the server that answered is held, not the one that redirected to it`(_ kind: ServiceKind) async throws {
        try await withOrigin(busy(3600, for: "/target")) { target in
            let script = OriginScript(Self.body, .on(.path("/1"), .redirect(to: target.url("/target"))))
            try await withService(kind, script, { $0.delayScale = 1 }) { bed in
                let first = try await bed.add("/1").id
                try await bed.wait(for: first, waiting: .server)
                let next = try await bed.add("/2").id
                try await bed.wait(for: next, .succeeded)
                let there = try await bed.add([bed.request(target.url("/3"))])[0].id
                let held = try await bed.wait(for: there, waiting: .server)
                #expect(try #require(held.times.nextAttempt).timeIntervalSinceNow > 3000)
                #expect(held.error == nil && held.attempts == 0)
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a client holds an origin for an hour at most, and resume lifts it`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body), { $0.delayScale = 1 }) { bed in
            let origin = try HTTPURL(parsing: bed.origin.url("/")).origin
            try await bed.service.hold(origin, seconds: 3600)
            let id = try await bed.add("/1").id
            try await bed.wait(for: id, waiting: .server)
            try await bed.act(.resume, id)
            try await bed.wait(for: id, .succeeded)
            await #expect(throws: ServiceError.self) { try await bed.service.hold(origin, seconds: 3601) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `one answer holds others for an hour at most`(_ kind: ServiceKind) async throws {
        try await withService(kind, busy(86_400), { $0.delayScale = 1 }) { bed in
            let first = try await bed.wait(for: bed.add("/1").id, waiting: .server)
            #expect(try #require(first.times.nextAttempt).timeIntervalSinceNow > 80_000)
            let other = try await bed.wait(for: bed.add("/2").id, waiting: .server)
            let next = try #require(other.times.nextAttempt).timeIntervalSinceNow
            #expect(next > 3000 && next <= Origin.longestHold)
            let listed = try await bed.service.transfers(TransferQuery()).transfers
            #expect(listed.map(\.reason) == [.server, .server])
            #expect(listed.allSatisfy { $0.times.nextAttempt != nil })
        }
    }

    @Test(arguments: [TransferAction.resume, .retry], ServiceKind.allCases)
    func `resume and retry lift it`(_ action: TransferAction, _ kind: ServiceKind) async throws {
        try await withService(kind, busy(3600, status: 429), { $0.delayScale = 1 }) { bed in
            let first = try await bed.add("/1").id
            try await bed.wait(for: first, waiting: .server)
            let other = try await bed.add("/2").id
            try await bed.wait(for: other, waiting: .server)
            try await bed.act(action, other)
            try await bed.wait(for: other, .succeeded)
            // The transfer with the Retry-After waits as its server requested, unless its user overrides that.
            #expect(try await bed.service.transfer(first).reason == .server)
            try await bed.act(action, first)
            try await bed.wait(for: first, .succeeded)
        }
    }

    @Test(arguments: [TransferAction.cancel, .remove], ServiceKind.allCases)
    func `it ends with the last transfer that received the response`(_ action: TransferAction, _ kind: ServiceKind)
        async throws
    {
        let script = OriginScript(
            Self.body, .on(.requests(1...2), .hold("answers", at: .head), .status(503, retryAfter: "3600")))
        try await withService(kind, script, { $0.delayScale = 1 }) { bed in
            let told = try await bed.add([bed.request("/1"), bed.request("/2")]).map(\.id)
            await bed.origin.waitForRequests(2)
            bed.origin.release("answers")
            for id in told { try await bed.wait(for: id, waiting: .server) }
            let other = try await bed.add("/3").id
            try await bed.wait(for: other, waiting: .server)
            try await bed.act(action, told[0])
            #expect(try await bed.service.transfer(other).reason == .server)
            try await bed.act(action, told[1])
            try await bed.wait(for: other, .succeeded)
        }
    }
}
