// Ferry: FerryEngine
// Asking whether a server's certificates are good enough.

import FerryCore

/// Asks one exchange's advisor about the certificates of the server that the exchange goes to.
struct TrustQuestion: Sendable {
    let url: HTTPURL
    let advisor: any ExchangeAdvisor
    let scope: TrustScope?
    /// Whether the certificates must be for the URL's host.
    let checksHost: Bool

    /// The error that forbids the request; nil if it may be sent.
    func verdict(on shown: ShownCertificates, recorder: ExchangeRecorder) async -> TransferError? {
        let challenge = TrustChallenge(
            host: url.host, port: url.port, certificates: shown.chain, fault: shown.fault)
        let answer: TrustAnswer
        if let known = scope?.answer(to: challenge) {
            answer = known
        } else {
            answer = await recorder.asking { await advisor.answer(challenge) }
            scope?.keep(answer, to: challenge)
        }
        switch answer {
        case .accept: return nil
        case .performDefault: return shown.fault
        case .cancel: return TransferError(.canceled, "The certificate of \(url.host) was turned down.")
        case .reject: return shown.fault ?? TLSFailure.untrusted(url)
        case .wait:
            recorder.wait(for: challenge)
            return TransferError(
                .tlsCertificate, "The certificate of \(url.host) waits for its client's word.",
                details: ErrorDetails(urlError: -1202, url: url.redacted), as: .wait)
        }
    }
}
