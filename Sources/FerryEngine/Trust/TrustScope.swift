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

/// Asks one exchange's advisor about the certificates of the server that the exchange goes to.
struct TrustQuestion: Sendable {
    let url: HTTPURL
    let advisor: any ExchangeAdvisor
    let scope: TrustScope?
    /// Whether the certificates must be for the URL's host.
    let checksHost: Bool

    /// The error that forbids the request; nil if it may be sent.
    func verdict(on shown: ShownCertificates, recorder: ExchangeRecorder) async -> ServiceError? {
        let fault = shown.fault?.transferError(of: url.host, url: url)
        let challenge = TrustChallenge(host: url.host, port: url.port, certificates: shown.chain, fault: fault)
        let answer: TrustAnswer
        if let known = scope?.answer(to: challenge) {
            answer = known
        } else {
            answer = await recorder.asking { await advisor.answer(challenge) }
            scope?.keep(answer, to: challenge)
        }
        switch answer {
        case .accept: return nil
        case .performDefault: return fault
        case .cancel: return ServiceError(.canceled, "The certificate of \(url.host) was turned down.")
        case .reject: return fault ?? CertificateFault.unverified.transferError(of: url.host, url: url)
        case .wait:
            recorder.wait(for: challenge)
            return ServiceError(
                .tlsCertificate, "The certificate of \(url.host) waits for its client's word.",
                details: ErrorDetails(urlError: -1202, url: url.redacted), as: .wait)
        }
    }
}
