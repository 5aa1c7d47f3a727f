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
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return certificate("The certificate of \(host) is for another host.", -1202, url)
        }
        if case NIOSSLError.unableToValidateCertificate = error {
            return certificate("The certificate of \(host) cannot be trusted.", -1202, url)
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
        return TransferError(
            .tlsFailed, "The TLS handshake with \(host) failed (\(error)).".escapingControls,
            details: ErrorDetails(url: url.redacted))
    }

    private static func certificate(_ message: String, _ urlError: Int, _ url: HTTPURL) -> TransferError {
        TransferError(.tlsCertificate, message, details: ErrorDetails(urlError: urlError, url: url.redacted))
    }
}
