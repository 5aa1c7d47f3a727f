// Ferry: FerryEngine
// Origins that are asked over HTTP/1.1.

import FerryCore
import NIOCore
import Synchronization

/// The origins that could not answer over HTTP/2, remembered for some time.
///
/// A server may want HTTP/1.1 for some of its resources (RFC 9113 §7), and the client takes no head that is longer than its limit.
final class HTTP2Refusals: Sendable {
    private static let memory = TimeAmount.minutes(10)
    /// Origins that are remembered at most.
    private static let mostOrigins = 1000

    private let origins = Mutex<[Origin: NIODeadline]>([:])

    func contains(_ origin: Origin) -> Bool { origins.withLock { $0[origin].map { $0 > .now() } ?? false } }

    func note(_ origin: Origin) {
        origins.withLock { origins in
            if origins.count >= Self.mostOrigins { origins.removeAll() }
            origins[origin] = .now() + Self.memory
        }
    }
}
