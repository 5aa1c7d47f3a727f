import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOSSL

/// A connection through a proxy that failed before it reached the origin.
struct ProxyFailure: Error {
    enum Cause {
        case refused(ProxyRefusal)
        /// TLS between Ferry and the proxy failed.
        case tls(any Error)
        /// The origin's name has no address. It is resolved locally if the SOCKS proxy is not given names.
        case unknownHost(NameCache.Failure)
        /// The proxy closed the connection.
        case closed
        /// Neither a tunnel nor a refusal arrived within this many seconds.
        case timedOut(seconds: Double)
        /// Reading or writing failed.
        case broken(any Error)
    }

    let proxy: ProxyChoice
    let target: TunnelTarget
    let cause: Cause

    init(_ proxy: ProxyChoice, _ target: TunnelTarget, _ cause: Cause) {
        (self.proxy, self.target, self.cause) = (proxy, target, cause)
    }

    /// Returns whether an error says that the proxy has simply closed the connection.
    static func isEnd(_ error: any Error) -> Bool {
        switch error {
        case let error as ChannelError: error == .inputClosed || error == .ioOnClosedChannel || error == .eof
        case NIOSSLError.uncleanShutdown: true
        default: false
        }
    }

    func transferError(url: HTTPURL) -> ServiceError {
        var details = ErrorDetails(url: url.redacted)
        if case .refused(.reply(5)) = cause { details.errno = ECONNREFUSED }
        func failure(_ code: ErrorCode, _ rest: String) -> ServiceError {
            var error = ServiceError(code, "The proxy \(proxy.shown) \(rest)", details: details)
            if isFinal { error.classOverride = .final }
            return error
        }
        switch cause {
        case .refused(.unauthorized): return Self.unauthorized(by: proxy, url: url)
        case .refused(.status(let status)):
            return failure(.proxyFailed, "refused to connect to \(target.authority): HTTP \(status).")
        case .refused(.reply(let code)): return failure(.proxyFailed, Self.sentence(code, target))
        case .refused(.malformed(let what)): return failure(.proxyFailed, "cannot be used: \(what).")
        case .tls(let error):
            let found = TLSFailure.transferError(error, url: url, host: "the proxy \(proxy.shown)")
            return ServiceError(found.code, found.message, details: details)
        case .unknownHost(let unknown): return unknown.error(of: target.host, url: url, isProxy: false)
        case .closed:
            return failure(.proxyFailed, "closed the connection before it had connected to \(target.authority).")
        case .timedOut(let seconds):
            return failure(.timedOut, "did not connect to \(target.authority) within \(Int(seconds)) s.")
        case .broken(let error):
            let number = (error as? IOError)?.errnoCode
            let why = number.map { unsafe ": " + String(cString: strerror($0)) } ?? ""
            return failure(.proxyFailed, "aborted the connection\(why).")
        }
    }

    /// Whether a retry would fail the same way: the proxy forbids the connection or does not speak its protocol.
    private var isFinal: Bool {
        switch cause {
        case .refused(.status(let status)): (400...499).contains(status)
        case .refused(.reply(let code)): code == 2
        case .refused(.malformed): true
        case .refused(.unauthorized), .tls, .unknownHost, .closed, .timedOut, .broken: false
        }
    }

    /// Returns the error of a proxy that requires credentials or rejected the given ones.
    static func unauthorized(by proxy: ProxyChoice, url: HTTPURL) -> ServiceError {
        let place = "\(proxy.scheme.rawValue)://USER:PASSWORD@\(proxy.host):\(proxy.port)"
        let sentence =
            proxy.credentials == nil
            ? "requires a user name and password: write its URL as \(place)."
            : "refused the user name or the password in its URL."
        return ServiceError(
            .proxyAuthRequired, "The proxy \(proxy.shown) \(sentence)", details: ErrorDetails(url: url.redacted))
    }

    /// Returns the end of a sentence about a SOCKS proxy's reply (RFC 1928 §6).
    private static func sentence(_ code: UInt8, _ target: TunnelTarget) -> String {
        switch code {
        case 2: "does not permit connections to \(target.authority)."
        case 3: "cannot reach the network of \(target.authority)."
        case 4: "cannot reach \(target.authority)."
        case 5: "was refused the connection by \(target.authority)."
        case 6: "got no response from \(target.authority) in time."
        case 7: "opens no tunnels."
        case 8: "cannot use the kind of address of \(target.authority)."
        default: "could not connect to \(target.authority)."
        }
    }
}
