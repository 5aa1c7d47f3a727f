import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `ferry quit` {
    static func sessions() throws -> [SessionID] {
        try ["cli", "org.a/photos", "org.b/photos", "/opt/app/films", "org.a:music"].map { try SessionID($0) }
    }

    @Test(arguments: [
        ("org.a/photos", "org.a/photos"), ("films", "/opt/app/films"), ("app/films", "/opt/app/films"),
        ("music", "org.a:music"),
    ])
    func `60 finds a session by its whole name or by its identifier`(typed: String, name: String) async throws {
        let daemon = FakeDaemon(sessions: try Self.sessions())
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
        #expect(await FerryProgram.run(["quit", typed], in: context) == 0)
        #expect(daemon.quits == [.session(try SessionID(name))])
    }

    @Test func `60 asks which one is meant if several apps have it`() async throws {
        let daemon = FakeDaemon(sessions: try Self.sessions())
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
        #expect(await FerryProgram.run(["quit", "photos"], in: context) == 64)
        #expect(console.talk.contains("org.a/photos") && console.talk.contains("org.b/photos"))
        #expect(daemon.quits.isEmpty)
    }
}
