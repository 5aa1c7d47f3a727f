// Ferry: FerryURLSession
// Where a session's loads are made.

import FerryEngine
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
}
