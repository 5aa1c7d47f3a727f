import FerryClient
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

/// A private daemon, with background sessions of this process.
final class BackgroundBed: Sendable {
    let fixture: DaemonFixture
    let identifier = "test-\(UInt32.random(in: 0 ... .max))"
    let daemon: DaemonService
    private let sessions = Mutex<[FerryURLSession.URLSession]>([])

    init(environment: [String: String] = [:]) throws {
        fixture = try DaemonFixture()
        daemon = DaemonService(environment: fixture.environment(environment))
    }

    /// The folder of the daemon's files for sessions.
    var spool: String { daemon.spool }

    func session(
        _ witness: any URLSessionDelegate, _ change: (FerryURLSession.URLSessionConfiguration) -> Void = { _ in }
    ) -> FerryURLSession.URLSession {
        let configuration = FerryURLSession.URLSessionConfiguration.background(withIdentifier: identifier)
        change(configuration)
        let session = DaemonService.$substitute.withValue(daemon) {
            FerryURLSession.URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
        }
        sessions.withLock { $0.append(session) }
        return session
    }

    /// Abandons a session, as the death of its process would. The daemon keeps its tasks as they are.
    func abandon(_ session: FerryURLSession.URLSession) async {
        BackgroundSessions.shared.remove(session, identifier)
        await (session.engine as? BackgroundEngine)?.close()
    }

    /// Invalidates the sessions, then closes the connection and stops the daemon.
    func stop() async {
        for session in sessions.withLock({ $0 }) { await (session.engine as? BackgroundEngine)?.close() }
        await daemon.service.shutdown()
        await fixture.stop()
    }
}

func withBackground<Result>(_ body: (BackgroundBed) async throws -> Result) async throws -> Result {
    let bed = try BackgroundBed()
    do {
        let result = try await body(bed)
        await bed.stop()
        return result
    } catch {
        await bed.stop()
        throw error
    }
}
