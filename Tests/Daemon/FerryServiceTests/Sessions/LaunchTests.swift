import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `An app whose session is not open` {
    private static let body = SeededBody(seed: 5, size: 200_000)
    private static let held = OriginScript(body, always: .hold("rest", at: .body(100_000)))

    @Test(arguments: ServiceKind.allCases)
    func `54, 55 is started once, when nothing runs any more`(kind: ServiceKind) async throws {
        try await withService(kind, Self.held) { bed in
            try await bed.registerCommand()
            let app = try await bed.attach()
            try await bed.task(1)
            try await bed.task(2, "/second.bin")
            try await bed.task(3, "/never.bin") { $0.timing.paused = true }
            await app.leave()
            await bed.origin.waitForHold("rest")
            #expect(bed.launches == [])
            bed.origin.release("rest")
            try await eventually("the app is started") { !bed.launches.isEmpty }
            let background = try await bed.attach(isBackground: true)
            #expect(background.attached?.handlesEvents == true)
            await background.leave()
            bed.endLaunched()
            // News of this later session arrives after a repeated delivery for the first one would have.
            let other = try await bed.attach("other")
            try await bed.task(1, in: "other")
            await other.leave()
            bed.origin.release("rest")
            try await eventually("the other session is told of") { bed.launches.count > 1 }
            #expect(bed.launches == [bed.launch(), bed.launch(of: "other")])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `54 is not started if it wants no launch events`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try await bed.registerCommand()
            for (identifier, wants) in [("silent", false), ("session", true)] {
                let app = try await bed.attach(identifier) { $0.sendsLaunchEvents = wants }
                let id = try await bed.task(1, in: identifier)
                try await bed.wait(for: id, .succeeded)
                await app.leave()
            }
            try await eventually("the other session's app is started") { !bed.launches.isEmpty }
            #expect(bed.launches == [bed.launch()])
            bed.endLaunched()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `55 is notified by its run loop and not started`(kind: ServiceKind) async throws {
        try await withService(kind, Self.held) { bed in
            try await bed.registerCommand()
            let loop = try await bed.connect()
            let app = try await bed.attach()
            try await bed.task(1)
            await app.leave()
            await bed.origin.waitForHold("rest")
            bed.origin.release("rest")
            try await eventually("the run loop is told") { loop.signals.last == .handleEvents(session: "session") }
            #expect(bed.launches == [])
            let again = try await bed.attach()
            #expect(again.attached?.handlesEvents == true)
            await again.leave()
            await loop.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `55 is started if its run loop was notified and ended without opening the session`(kind: ServiceKind)
        async throws
    {
        try await withService(kind, Self.held) { bed in
            try await bed.registerCommand()
            let loop = try await bed.connect()
            let app = try await bed.attach()
            try await bed.task(1)
            await app.leave()
            bed.origin.release("rest")
            try await eventually("the run loop is told") { loop.signals.count == 2 }
            await loop.leave()
            try await eventually("the app is started") { bed.launches == [bed.launch()] }
            bed.endLaunched()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `58 is started again, three times at most, if it ends without opening the session`(kind: ServiceKind)
        async throws
    {
        try await withService(kind, OriginScript()) {
            $0.relaunchDelay = 0.01
        } _: { bed in
            try await bed.registerCommand(ends: true)
            let app = try await bed.attach()
            let id = try await bed.task(1)
            try await bed.wait(for: id, .succeeded)
            await app.leave()
            try await eventually("it is started four times") { bed.launches.count >= 4 }
            let other = try await bed.attach("other")
            let second = try await bed.task(1, in: "other")
            try await bed.wait(for: second, .succeeded)
            await other.leave()
            try await eventually("the other session is told of") { bed.launches.contains(bed.launch(of: "other")) }
            #expect(bed.launches.filter { $0 == bed.launch() }.count == 4)
        }
    }

    /// Launches an app for its events. Returns its background process and a waiting task of that process.
    private func launch(_ bed: ServiceBed) async throws -> (AttachedApp, TransferID) {
        try await bed.registerCommand()
        let app = try await bed.attach()
        let id = try await bed.task(1)
        try await bed.wait(for: id, .succeeded)
        await app.leave()
        try await eventually("the app is started") { bed.launches.count == 1 }
        let background = try await bed.attach(isBackground: true)
        let late = try await bed.task(2, "/late.bin")
        try await bed.wait(for: late, waiting: .relaunch)
        return (background, late)
    }

    @Test(arguments: ServiceKind.allCases)
    func `59 its tasks of the background wait for the delay, until it comes to the foreground`(kind: ServiceKind)
        async throws
    {
        try await withService(kind) { bed in
            let (background, late) = try await launch(bed)
            await background.leave()
            let foreground = try await bed.attach()
            let prompt = try await bed.task(3, "/prompt.bin")
            try await bed.wait(for: late, .succeeded)
            try await bed.wait(for: prompt, .succeeded)
            await foreground.leave()
            bed.endLaunched()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `59 a process that becomes active is in the foreground`(kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let (background, late) = try await launch(bed)
            try await bed.service.becomeActive(ServiceBed.application, process: getpid())
            try await bed.wait(for: late, .succeeded)
            await #expect(throws: ServiceError.self, "an active process is not waited for") {
                _ = try await bed.attach(process: 1)
            }
            await background.leave()
            bed.endLaunched()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `54 is started after a restart of the daemon`(kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    try await bed.registerCommand()
                    // The process has ended, and the daemon ends before it notices.
                    _ = try await bed.attach(process: .max)
                    let id = try await bed.task(1)
                    try await bed.wait(for: id, .succeeded)
                }
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    try await eventually("the app is started") { bed.launches == [bed.launch()] }
                    bed.endLaunched()
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `47 is not started after a restart while the process lives that has the session`(kind: ServiceKind)
        async throws
    {
        let last = "zz.example.app"
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    try await bed.registerCommand()
                    _ = try await bed.attach()
                    let id = try await bed.task(1)
                    try await bed.wait(for: id, .succeeded)
                    // This app's process has ended, and the daemon ends before it notices.
                    try await bed.registerCommand(for: last)
                    _ = try await bed.attach(process: .max) { $0.application = last }
                    let second = try await bed.task(1, of: last)
                    try await bed.wait(for: second, .succeeded)
                }
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    // Sessions are checked in order of their names, and this is the last.
                    try await eventually("the other app is started") { !bed.launches.isEmpty }
                    #expect(bed.launches.count == 1 && bed.launches[0].contains(last), "\(bed.launches)")
                    bed.endLaunched()
                }
            }
        }
    }

    @Test(
        arguments: ServiceKind.allCases,
        [[], ["relative"], ["/nowhere/at/all"], ["/etc/passwd"], ["/tmp"]] as [[String]])
    func `55 is not started by a command that is no program`(kind: ServiceKind, arguments: [String]) async throws {
        try await withService(kind) { bed in
            await #expect {
                try await bed.service.registerLaunchCommand(
                    LaunchCommand(arguments: arguments, workingFolder: nil, environment: [:]),
                    of: ServiceBed.application)
            } throws: {
                ($0 as? ServiceError)?.code == .invalidRequest
            }
        }
    }
}
