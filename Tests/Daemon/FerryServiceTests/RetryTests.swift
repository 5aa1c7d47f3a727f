import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Retries` {
    private static let body = SeededBody(seed: 9, size: 300_000)

    @Test(arguments: [0, 1, 3], ServiceKind.allCases)
    func `T1 retries limits the attempts`(_ retries: Int, _ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body, always: .closeBeforeHead)) { bed in
            let id = try await bed.add { $0.timing.retries = retries }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .connectionLost)
            #expect(failed.attempts == retries + 1 && failed.error?.details.attempts == retries + 1)
            #expect(bed.origin.requests.count == retries + 1)
            #expect(bed.files == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T1 status retries limit the answers of a busy server alone`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.requests(1...2), .closeBeforeHead), .on(.requests(3...), .status(503)))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.timing.statusRetries = 1 }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .serverBusy && failed.error?.details.httpStatus == 503)
            #expect(failed.attempts == 4)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T1 a doubtful failure is met six times before it is final`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body, always: .status(500))) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, .failed)
            #expect(bed.origin.requests.count == 6)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T2 a transfer that waits for its next attempt says when and why`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(500)))
        try await withService(kind, script, { $0.delayScale = 1000 }) { bed in
            let before = Date()
            let id = try await bed.add().id
            let waiting = try await bed.wait(for: id, waiting: .retry)
            #expect(waiting.error?.code == .serverBusy && waiting.error?.details.httpStatus == 500)
            let next = try #require(waiting.times.nextAttempt)
            #expect(next.timeIntervalSince(before) > 900)
            #expect(waiting.attempts == 1)
        }
    }

    @Test(arguments: [TransferAction.resume, .retry], ServiceKind.allCases)
    func `T12 resume and retry by the user try at once`(_ action: TransferAction, _ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(500)))
        try await withService(kind, script, { $0.delayScale = 1000 }) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, waiting: .retry)
            #expect(try await bed.act(action, id) == .waiting)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.attempts == 2 && done.error == nil && done.times.nextAttempt == nil)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T12 suspend and cancel win over a retry`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.requests(1...2), .status(500)))
        try await withService(kind, script, { $0.delayScale = 1000 }) { bed in
            let transfers = try await bed.add([bed.request("/1"), bed.request("/2")])
            for transfer in transfers { try await bed.wait(for: transfer.id, waiting: .retry) }
            #expect(try await bed.act(.pause, transfers[0].id) == .suspended)
            #expect(try await bed.act(.cancel, transfers[1].id) == .canceled)
            let paused = try await bed.service.transfer(transfers[0].id)
            #expect(paused.state == .suspended && paused.reason == nil && paused.times.nextAttempt == nil)
            try await bed.act(.resume, transfers[0].id)
            try await bed.wait(for: transfers[0].id, .succeeded)
        }
    }

    @Test(arguments: [429, 503], ServiceKind.allCases)
    func `T5 Retry-After holds every new request to that origin`(_ status: Int, _ kind: ServiceKind) async throws {
        let busy = OriginScript(Self.body, .on(.request(1), .status(status, retryAfter: "3600")))
        try await withService(kind, busy, { $0.delayScale = 1 }) { bed in
            try await withOrigin(OriginScript(Self.body)) { other in
                let asked = try await bed.add("/1").id
                let held = try await bed.wait(for: asked, waiting: .server)
                #expect(held.error?.code == .serverBusy)
                #expect(try #require(held.times.nextAttempt).timeIntervalSinceNow > 3000)
                let next = try await bed.add("/2").id
                try await bed.wait(for: next, waiting: .server)
                let foreign = try await bed.add([bed.request(other.url("/3"))])[0]
                try await bed.wait(for: foreign.id, .succeeded)
                #expect(bed.asked == ["/1"])
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T5 throttled transfers continue when the time is over`(_ kind: ServiceKind) async throws {
        let busy = OriginScript(Self.body, .on(.request(1), .status(503, retryAfter: "60")))
        try await withService(kind, busy) { bed in
            let first = try await bed.add("/1").id
            try await bed.wait(for: first, "the answer") { $0.attempts > 0 }
            let second = try await bed.add("/2").id
            for id in [first, second] { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked.count == 3)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T5 a Retry-After of another status holds its own transfer alone`(_ kind: ServiceKind) async throws {
        let busy = OriginScript(Self.body, .on(.request(1), .status(502, retryAfter: "3600")))
        try await withService(kind, busy, { $0.delayScale = 1 }) { bed in
            let first = try await bed.add("/1").id
            try await bed.wait(for: first, waiting: .server)
            let second = try await bed.add("/2").id
            try await bed.wait(for: second, .succeeded)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a transfer whose time has come waits for a slot like any other`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.path("/busy"), .hold("busy", at: .head), .status(500)),
            .on(.path("/long"), .hold("long", at: .head)))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let busy = try await bed.add("/busy").id
            await bed.origin.waitForHold("busy")
            let long = try await bed.add("/long") { $0.timing.priority = .high }.id
            try await bed.wait(for: long, waiting: .slot)
            bed.origin.release("busy")
            try await bed.wait(for: long, .running)
            let waiting = try await bed.wait(for: busy, waiting: .slot)
            #expect(waiting.times.nextAttempt == nil && waiting.error?.code == .serverBusy)
        }
    }

    // MARK: Deadlines

    @Test(arguments: ServiceKind.allCases)
    func `T6 a running transfer ends at its deadline and keeps its bytes`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("never", at: .body(100_000)))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.timing.deadline = Date(timeIntervalSinceNow: 0.5) }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .deadlineExceeded)
            #expect(bed.files.allSatisfy { $0 == ".ferry-\(id).part" })
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `T6 a deadline counts while a transfer waits`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.path("/busy"), .status(500)), .always(.hold("never", at: .head)))
        try await withService(kind, script, { $0.delayScale = 1000 }) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            try await bed.add("/first") { $0.timing.priority = .high }
            let id = try await bed.add("/second") { $0.timing.deadline = Date(timeIntervalSinceNow: 0.2) }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .deadlineExceeded && failed.attempts == 0)
            #expect(bed.asked.filter { $0 == "/second" } == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a deadline in the past ends a transfer before anything is asked`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body, always: .hold("never", at: .head))) { bed in
            let id = try await bed.add { $0.timing.deadline = Date(timeIntervalSinceNow: -10) }.id
            #expect(try await bed.wait(for: id, .failed).error?.code == .deadlineExceeded)
        }
    }
}
