// Ferry: FerryEngine
// What went wrong in TLS.

import FerryCore
import NIOSSL

/// Tells a wrong certificate, which ends a transfer, from a handshake that failed, which is tried again.
enum TLSFailure {
    static func transferError(_ error: any Error, url: HTTPURL, phase: ClientFailure.Phase) -> TransferError {
        let host = url.host
        if case NIOSSLError.uncleanShutdown = error {
            return TransferError(
                .connectionLost, "\(host) cut the connection without closing TLS.",
                details: ErrorDetails(url: url.redacted))
        }
        if let error = error as? OtherHostCertificate { return otherHost(url, error.identity) }
        if case NIOSSLError.unableToValidateCertificate = error {
            return untrusted(url)
        }
        if case NIOSSLError.handshakeFailed(.sslError(let stack)) = error {
            // BoringSSL's stack gives its reasons as text alone: the reason's name is fixed by its sources.
            let reasons = stack.map(\.description).joined(separator: " ")
            if reasons.contains("CERTIFICATE_VERIFY_FAILED") {
                return certificate(
                    "The certificate of \(host) cannot be trusted: it is expired, for another purpose, or of an unknown issuer.",
                    -1202, url)
            }
        }
        let wantsCertificate = Self.asksForCertificate(error)
        return TransferError(
            .tlsFailed, "The TLS handshake with \(host) failed (\(error)).".escapingControls,
            details: ErrorDetails(urlError: wantsCertificate, url: url.redacted))
    }

    /// Foundation's code for a server that wants a client certificate (RFC 8446 §6.2), or refuses the one it got.
    private static func asksForCertificate(_ error: any Error) -> Int? {
        let text = "\(error)"
        if text.contains("CERTIFICATE_REQUIRED") { return -1206 }
        return text.contains("ALERT_BAD_CERTIFICATE") || text.contains("ALERT_UNKNOWN_CA") ? -1205 : nil
    }

    static func otherHost(_ url: HTTPURL, _ identity: ServerIdentity) -> TransferError {
        let named = identity.summary.map { "is for another host: it names \($0)" } ?? "names no host"
        return certificate("The certificate of \(url.host) \(named).", -1202, url)
    }

    static func untrusted(_ url: HTTPURL) -> TransferError {
        certificate("The certificate of \(url.host) cannot be trusted.", -1202, url)
    }

    static func unknownRoot(_ url: HTTPURL) -> TransferError {
        certificate("The certificate of \(url.host) is of an authority that is not trusted here.", -1203, url)
    }

    static func expired(_ url: HTTPURL) -> TransferError {
        certificate("The certificate of \(url.host) has expired.", -1201, url)
    }

    static func notYetValid(_ url: HTTPURL) -> TransferError {
        certificate("The certificate of \(url.host) is not valid yet.", -1204, url)
    }

    private static func certificate(_ message: String, _ urlError: Int, _ url: HTTPURL) -> TransferError {
        TransferError(.tlsCertificate, message, details: ErrorDetails(urlError: urlError, url: url.redacted))
    }
}
