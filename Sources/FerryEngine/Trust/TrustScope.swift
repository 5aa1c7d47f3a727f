// Ferry: FerryEngine
// Certificates that were answered for.

package import FerryCore
import Foundation
import Synchronization

/// Certificates that one client has answered for, so that it is asked once for each host and certificate.
///
/// In memory, and only answers that let the connection be used: what was refused is asked about again.
package final class TrustScope: Sendable {
    private struct Shown: Hashable {
        let host: String
        let port: Int
        let certificates: [Data]
    }

    /// The most answers that are kept; then all are asked for again.
    private static let maximumCount = 256

    private let answers = Mutex<[Shown: TrustAnswer]>([:])

    package init() {}

    /// An answer that was given for the same certificates of the same host.
    package func answer(to challenge: TrustChallenge) -> TrustAnswer? {
        answers.withLock { $0[Self.shown(challenge)] }
    }

    package func keep(_ answer: TrustAnswer, to challenge: TrustChallenge) {
        guard answer == .accept || (answer == .performDefault && challenge.fault == nil) else { return }
        answers.withLock { answers in
            if answers.count >= Self.maximumCount { answers = [:] }
            answers[Self.shown(challenge)] = answer
        }
    }

    private static func shown(_ challenge: TrustChallenge) -> Shown {
        Shown(host: challenge.host, port: challenge.port, certificates: challenge.certificates)
    }
}
