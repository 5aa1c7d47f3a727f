// Ferry: FerryURLSession
// Where a session's loads are made.

import FerryCore
import FerryEngine
import FerryService
import Foundation

/// What the loads of one session share.
struct LoadPlace: Sendable {
    let engine: @Sendable () async throws -> Engine
    /// The proxies as they were when the session was made (statement 28).
    let proxies: [String: String]
    /// Certificates that the session's delegate has answered for.
    let trust: TrustScope
    /// Where files of downloads go that are no transfers.
    let folder: URL
    /// Which condition is in the way of requests to a URL: now, and after each change.
    var obstacles: @Sendable (String, NetworkPolicy) async throws -> AsyncStream<WaitReason?> = {
        try await LocalService.shared.service().obstacles(to: $0, $1)
    }
}
