import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A session that is open` {
    @Test(arguments: ServiceKind.allCases)
    func `3 is open in one process, until that one's connection breaks`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let first = try await bed.attach()
            await #expect {
                _ = try await bed.attach(process: 1)
            } throws: {
                ($0 as? ServiceError)?.code == .sessionInUse
            }
            let other = try await bed.attach("other", process: 1)
            await first.leave()
            var second: AttachedApp?
            try await eventually("the session is free") {
                second = try? await bed.attach(process: 1)
                return second != nil
            }
            await second?.leave()
            await other.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `47 takes the same process again, whose connection broke unnoticed`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let first = try await bed.attach()
            let second = try await bed.attach()
            await first.leave()
            await #expect(throws: ServiceError.self, "the second connection holds") {
                _ = try await bed.attach(process: 1)
            }
            await second.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `3 is waited for while a process has it that was launched for events`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let background = try await bed.attach(isBackground: true)
            #expect(background.attached?.handlesEvents == true)
            async let next = bed.attach(process: 1)
            await background.leave()
            let second = try await next
            #expect(second.attached?.handlesEvents == false)
            await second.leave()
        }
    }

    /// A regression: the app could not open its session while the launched process lived.
    @Test(arguments: ServiceKind.allCases)
    func `3 is taken from a launched process that does not end, and that gets no more events`(
        kind: ServiceKind
    ) async throws {
        try await withService(kind) { bed in
            let launched = try await bed.attach(isBackground: true)
            let app = try await bed.attach(process: 1)
            #expect(app.lastTaskWhileHeld == 0 && app.attached?.lastTask == 0)
            try await bed.task(1)
            try await eventually("the end is told") { app.kinds.last == .succeeded }
            #expect(launched.kinds.isEmpty)
            await #expect(throws: ServiceError.self, "the app has it") {
                _ = try await bed.attach(isBackground: true)
            }
            await launched.leave()
            await app.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `5 says which task numbers were used, also by tasks that are gone`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let first = try await bed.attach()
            #expect(first.attached == .init(lastTask: 0, handlesEvents: false))
            let id = try await bed.task(7) { $0.timing.paused = true }
            try await bed.act(.remove, id)
            await first.leave()
            let second = try await bed.attach()
            #expect(second.attached?.lastTask == 7)
            await second.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `49 gets its events as they happen, and no other session's`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let app = try await bed.attach()
            let other = try await bed.attach("other")
            try await bed.task(1)
            try await eventually("the end is told") { app.kinds.last == .succeeded }
            #expect(app.kinds.first == .submitted)
            #expect(other.kinds == [])
            await app.leave()
            await other.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `33 uses as many connections to one host as its configuration says`(kind: ServiceKind) async throws {
        try await withService(
            kind, OriginScript(SeededBody(seed: 1, size: 4096), always: .hold("all", at: .body(1000)))
        ) {
            bed in
            let app = try await bed.attach { $0.connectionsPerHost = 1 }
            let first = try await bed.task(1)
            let second = try await bed.task(2, "/other.bin")
            try await bed.wait(for: first, .running)
            try await bed.wait(for: second, waiting: .host)
            bed.origin.release("all")
            try await bed.wait(for: second, .succeeded)
            await app.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `names that do not fit are refused`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let attachment = bed.attachment()
            await #expect {
                _ = try await bed.service.attach(SessionID("org.example.app/other"), attachment)
            } throws: {
                ($0 as? ServiceError)?.code == .invalidRequest
            }
        }
    }
}
