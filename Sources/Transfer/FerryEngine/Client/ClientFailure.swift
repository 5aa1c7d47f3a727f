import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Maps errors of connections, NIO and TLS to service errors.
enum ClientFailure {
    enum Phase { case beforeHead, body }

    /// The server had closed the pooled connection. The request is repeated at once and not counted as a retry
    /// (docs/behaviour/transfers.md#T4).
    static let staleConnection = ServiceError(.connectionLost, "The server had closed the connection.")

    /// A server that was offered HTTP/2 did not respond over it. The request is repeated over HTTP/1.1.
    static let notOverHTTP2 = ServiceError(.connectionLost, "The server did not respond over HTTP/2.")

    /// Returns whether an error of an HTTP/2 request without a head may be a refusal of HTTP/2.
    ///
    /// NIO reports the end of a stream or connection with many error types, or as a plain close.
    static func isOfHTTP2(_ error: any Error) -> Bool {
        switch error {
        case is ServiceError, is ReusedConnectionClosed, is ChannelError, is HeadFault, is NIOSSLError,
            is BoringSSLError, is IOError:
            false
        default: true
        }
    }

    /// - Parameters:
    ///   - proxy: The proxy that the connection leads to, if any.
    ///   - wasAsked: Whether the request was written to a connection.
    static func transferError(
        _ error: any Error, url: HTTPURL, proxy: ProxyChoice? = nil, phase: Phase, wasAsked: Bool = true
    ) -> ServiceError {
        let host = Peer(url, proxy, wasAsked: wasAsked)
        func failure(_ code: ErrorCode, _ message: String, errno: Int32? = nil) -> ServiceError {
            let code = host.isProxy && code == .connectFailed ? .proxyFailed : code
            return ServiceError(code, message, details: ErrorDetails(errno: errno, url: url.redacted))
        }
        switch error {
        case let error as ServiceError: return error
        case let error as ProxyFailure: return error.transferError(url: url)
        case is ReusedConnectionClosed: return staleConnection
        case ConnectionFailure.timedOut: return failure(.timedOut, "Connecting to \(host) took too long.")
        case ConnectionFailure.noAddress(let family):
            let (name, option) = family == .ipv4 ? ("IPv4", "-4") : ("IPv6", "-6")
            return ServiceError(
                .hostNotFound, "\(host.subject) has no \(name) address; leave out \(option).",
                details: ErrorDetails(url: url.redacted), as: .final)
        case ConnectionFailure.outOfScope(let scope):
            let kind = scope == .global ? "a private or link-local address" : "a link-local address"
            return ServiceError(
                .connectFailed,
                "\(host.subject) is at \(kind), to which this transfer may not connect: its address_scope is \(scope.rawValue).",
                details: ErrorDetails(url: url.redacted), as: .final)
        case ConnectionFailure.closedBeforeHead:
            return failure(.connectionLost, "\(host.subject) closed the connection before it responded.")
        case is ConnectionFailure, HTTPParserError.invalidEOFState:
            // A body that ended early is a lost connection. Its received bytes count (docs/behaviour/transfers.md#R5).
            return failure(.connectionLost, "\(host.subject) closed the connection early.")
        case let error as NIOConnectionError: return connectionError(error, failure: failure, host: host)
        case is SocketAddressError:
            return failure(.hostNotFound, "\(host.isProxy ? host.subject : "The host \(host)") cannot be found.")
        case let error as ChannelError:
            if case .connectTimeout = error { return failure(.timedOut, "Connecting to \(host) took too long.") }
            return failure(.connectionLost, "The connection to \(host) was closed.")
        case let fault as HeadFault:
            return failure(.badResponse, "The response from \(host) cannot be read: it has \(fault.text).")
        case let error as HTTPParserError:
            return failure(.badResponse, "The response from \(host) cannot be read: it has \(error.part).")
        case is CertificateFault, is NIOSSLExtraError, is NIOSSLError, is BoringSSLError:
            return TLSFailure.transferError(error, url: url)
        case let error as IOError:
            return ioError(error.errnoCode, failure: failure, host: host, phase: phase)
        default:
            // HTTP/2 errors. Their texts mean nothing to users.
            return failure(.connectionLost, "\(host.subject) aborted the connection.")
        }
    }

    /// The server named in an error message.
    private struct Peer: CustomStringConvertible {
        /// Name within a sentence.
        let description: String
        /// Name at the beginning of a sentence.
        let subject: String
        /// Whether the proxy itself failed.
        let isProxy: Bool

        init(_ url: HTTPURL, _ proxy: ProxyChoice?, wasAsked: Bool) {
            isProxy = proxy != nil && !wasAsked
            let through = proxy.map { " (through the proxy \($0.shown))" } ?? ""
            description = isProxy ? "the proxy \(proxy?.shown ?? "")" : url.host + through
            subject = isProxy ? "The proxy \(proxy?.shown ?? "")" : description
        }
    }

    private typealias Failure = (ErrorCode, String, Int32?) -> ServiceError

    private static func connectionError(
        _ error: NIOConnectionError, failure: Failure, host: Peer
    ) -> ServiceError {
        if error.connectionErrors.isEmpty {
            return failure(.hostNotFound, "\(host.isProxy ? host.subject : "The host \(host)") cannot be found.", nil)
        }
        let numbers = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        if numbers.isEmpty, error.connectionErrors.contains(where: { $0.error is ChannelError }) {
            return failure(.timedOut, "Connecting to \(host) took too long.", nil)
        }
        return ioError(numbers.first ?? ECONNREFUSED, failure: failure, host: host, phase: .beforeHead)
    }

    private static func ioError(_ errno: CInt, failure: Failure, host: Peer, phase: Phase) -> ServiceError {
        switch errno {
        case ECONNREFUSED: failure(.connectFailed, "\(host.subject) refused the connection.", errno)
        case EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL:
            failure(.connectFailed, "\(host.subject) cannot be reached.", errno)
        case ETIMEDOUT: failure(.timedOut, "\(host.subject) did not respond in time.", errno)
        case ECONNRESET, EPIPE: failure(.connectionLost, "\(host.subject) reset the connection.", errno)
        default:
            failure(
                .connectionLost, "The connection to \(host) failed: \(unsafe String(cString: strerror(errno))).", errno)
        }
    }
}

/// Distinguishes an invalid certificate, which is final, from a failed handshake, which is retried.
enum TLSFailure {
    /// - Parameter host: The server of the TLS handshake, if it is not the URL's.
    static func transferError(_ error: any Error, url: HTTPURL, host: String? = nil) -> ServiceError {
        let host = host ?? url.host
        if case NIOSSLError.uncleanShutdown = error {
            return ServiceError(
                .connectionLost, "\(host) closed the connection without closing TLS.",
                details: ErrorDetails(url: url.redacted))
        }
        if let fault = error as? CertificateFault { return fault.transferError(of: host, url: url) }
        if case NIOSSLError.unableToValidateCertificate = error {
            return CertificateFault.unverified.transferError(of: host, url: url)
        }
        let text = "\(error)"
        // BoringSSL gives its reasons only as text. Its sources fix their names.
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return CertificateFault.unverified.transferError(of: host, url: url)
        }
        if notTLS.contains(where: text.contains) {
            return ServiceError(
                .tlsFailed, "\(host) does not speak TLS on this port.", details: ErrorDetails(url: url.redacted))
        }
        if oldTLS.contains(where: text.contains) {
            return ServiceError(
                .tlsFailed, "\(host) offers no safe version of TLS.",
                details: ErrorDetails(url: url.redacted))
        }
        let wantsCertificate = Self.asksForCertificate(error)
        return ServiceError(
            .tlsFailed, "The TLS handshake with \(host) failed\(Self.reason(of: error)).",
            details: ErrorDetails(urlError: wantsCertificate, url: url.redacted))
    }

    /// Reasons for a response that is not TLS, such as one of HTTP.
    private static let notTLS = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"]
    private static let oldTLS = ["UNSUPPORTED_PROTOCOL", "ALERT_PROTOCOL_VERSION"]

    /// Returns BoringSSL's reason as the end of a sentence. Its sources fix the names, such as
    /// `SSLV3_ALERT_HANDSHAKE_FAILURE`.
    private static func reason(of error: any Error) -> String {
        let text = "\(error)".utf8
        let names = text.split { !($0 == UInt8(ascii: "_") || 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0) }
        guard let name = names.filter({ $0.contains(UInt8(ascii: "_")) }).max(by: { $0.count < $1.count }) else {
            return ""
        }
        let words = String(Substring(name)).lowercased().split(separator: "_").drop {
            $0.hasPrefix("sslv3") || $0.hasPrefix("tlsv1")
        }
        return words.isEmpty ? "" : ": " + words.joined(separator: " ")
    }

    /// Returns Foundation's code if the server requires a client certificate (RFC 8446 §6.2) or refused the one it got.
    private static func asksForCertificate(_ error: any Error) -> Int? {
        let text = "\(error)"
        if text.contains("CERTIFICATE_REQUIRED") { return -1206 }
        return text.contains("ALERT_BAD_CERTIFICATE") || text.contains("ALERT_UNKNOWN_CA") ? -1205 : nil
    }
}

extension HTTPParserError {
    /// The unreadable part, as the end of the sentence “It has …”.
    fileprivate var part: String {
        switch self {
        case .invalidVersion: "an unknown version of HTTP"
        case .invalidStatus: "a malformed status"
        case .invalidConstant, .lfExpected: "no valid status line"
        case .invalidHeaderToken, .invalidCharactersUsed: "a field with characters that HTTP forbids"
        case .headerOverflow: "too many or too long fields"
        case .invalidContentLength, .unexpectedContentLength: "an unreadable Content-Length"
        case .invalidChunkSize: "an unreadable chunk size"
        case .trailingGarbage, .closedConnection: "bytes after its end"
        default: "a part that is not HTTP"
        }
    }
}
