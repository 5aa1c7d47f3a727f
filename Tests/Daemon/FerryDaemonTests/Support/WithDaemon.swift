import FerryCore
import FerryTesting
import Foundation
import Testing

/// Runs `body` with a home for a daemon, then stops the daemon.
func withDaemon<Result>(_ body: (DaemonFixture) async throws -> Result) async throws -> Result {
    let fixture = try DaemonFixture()
    do {
        let result = try await body(fixture)
        await end(fixture)
        return result
    } catch {
        await end(fixture)
        throw error
    }
}

/// Runs `body` with an origin and a home for a daemon.
func withDaemon<Result>(
    _ script: OriginScript, _ body: (DaemonFixture, ScriptedOrigin) async throws -> Result
) async throws -> Result {
    try await withOrigin(script) { origin in
        try await withDaemon { fixture in try await body(fixture, origin) }
    }
}

private func end(_ fixture: DaemonFixture) async {
    // The log is attached for every test, because a failed expectation does not throw. Without a folder for
    // attachments, nothing is kept.
    let log = fixture.log
    await fixture.stop()
    Attachment.record(log, named: "ferryd.log")
}
