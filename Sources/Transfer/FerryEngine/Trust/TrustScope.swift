package import FerryCore
import FerryRules
import Foundation
import Synchronization

/// Certificates that one client has accepted, so that it is asked once for each host and certificate.
///
/// Kept in memory. Only accepting answers are kept: the client is asked again about refused certificates.
package final class TrustScope: Sendable {
    private struct Shown: Hashable {
        let host: String
        let port: Int
        let certificates: [Data]
    }

    /// Maximum number of answers. Beyond it, all are forgotten.
    private static let maximumCount = 256

    private let answers = Mutex<[Shown: TrustAnswer]>([:])

    package init() {}

    /// Returns an earlier answer for the same certificates of the same host.
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

/// Asks an exchange's advisor about its server's certificates.
struct TrustQuestion: Sendable {
    let url: HTTPURL
    let advisor: any ExchangeAdvisor
    let scope: TrustScope?
    /// Whether the certificates must match the URL's host.
    let checksHost: Bool

    /// Returns the error that forbids the request, or `nil` if it may be sent.
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
        if answer == .wait { recorder.wait(for: challenge) }
        return answer.refusal(of: url, fault)
    }
}

extension TrustAnswer {
    /// Returns the error that forbids the use of a connection, or `nil` if it may be used.
    ///
    /// - Parameter fault: The error of the default evaluation, if any.
    func refusal(of url: HTTPURL, _ fault: ServiceError?) -> ServiceError? {
        switch self {
        case .accept: return nil
        case .performDefault: return fault
        case .cancel: return ServiceError(.canceled, "The certificate of \(url.host) was rejected.")
        case .reject: return fault ?? CertificateFault.unverified.transferError(of: url.host, url: url)
        case .wait:
            return ServiceError(
                .tlsCertificate, "The certificate of \(url.host) waits for its client's decision.",
                details: ErrorDetails(urlError: -1202, url: url.redacted), as: .wait)
        }
    }
}
