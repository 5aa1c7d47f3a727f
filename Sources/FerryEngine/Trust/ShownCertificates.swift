import FerryCore
import Foundation
import NIOSSL

/// The certificates that a server showed in one handshake, and what the default evaluation finds wrong.
struct ShownCertificates: Sendable {
    /// DER, leaf first.
    let chain: [Data]
    let fault: CertificateFault?
}

/// Listens to the TLS library while it evaluates a chain, and lets every chain pass.
///
/// What it found wrong is kept: nothing is sent before an advisor has decided on it. On the event loop of its connection.
final class ChainListener {
    /// In the order in which the library last reported each. It reports the chain from the root to the leaf, and reports a
    /// certificate again if it breaks the name constraints of another one.
    private var certificates: [NIOSSLCertificate] = []
    private var faulty: [NIOSSLCertificate] = []

    func judged(_ certificate: NIOSSLCertificate, _ result: NIOSSLVerificationResult) -> NIOSSLVerificationResult {
        certificates.removeAll { $0 == certificate }
        certificates.append(certificate)
        if result == .failed { faulty.append(certificate) }
        return .certificateVerified
    }

    /// What was shown, with the host's name checked if that is wanted.
    ///
    /// - Parameter host: The host that the certificate must be for; nil where any will do.
    /// - Parameter leaf: the certificate whose key the server has used in the handshake. The order of the library's reports
    ///   does not say which one that is: a server may add certificates of others, of which one would pass for its own.
    func shown(for host: String?, leaf: NIOSSLCertificate?, now: Date) -> ShownCertificates {
        guard let leaf, certificates.contains(leaf) else { return ShownCertificates(chain: [], fault: .unverified) }
        let chain = [leaf] + certificates.reversed().filter { $0 != leaf }
        return ShownCertificates(
            chain: chain.compactMap { try? Data($0.toDERBytes()) }, fault: fault(chain, leaf, host, now))
    }

    private func fault(
        _ chain: [NIOSSLCertificate], _ leaf: NIOSSLCertificate, _ host: String?, _ now: Date
    ) -> CertificateFault? {
        let seconds = Int(now.timeIntervalSince1970)
        for certificate in faulty {
            if seconds < certificate.notValidBefore { return .notYetValid(certificate.notValidBefore.date) }
            if seconds > certificate.notValidAfter { return .expired(certificate.notValidAfter.date) }
        }
        if let last = chain.last, !faulty.isEmpty {
            guard faulty.contains(last) else { return .wrongPurpose }
            guard let names = (try? last.toDERBytes()).flatMap(CertificateNames.init) else { return .unverified }
            guard names.isSelfIssued else { return .unknownIssuer(names.issuer) }
            return chain.count == 1 ? .selfSigned : .unknownRoot(names.subject)
        }
        let identity = ServerIdentity(of: leaf)
        return host.map(identity.matches) ?? true ? nil : .otherHost(identity)
    }
}

extension Int {
    /// Seconds since 1970 as a date.
    fileprivate var date: Date { Date(timeIntervalSince1970: TimeInterval(self)) }
}

/// A TLS client that tells what the library thinks of each certificate.
///
/// The library's own evaluation stays at work, which it does not when a custom one is installed in its place; the
/// initializer that does this is deprecated in favor of that one, so it is called through a requirement.
private protocol ListenedClient: AnyObject {
    init(context: NIOSSLContext, serverHostname: String?, verificationCallback: NIOSSLVerificationCallback?) throws
}

extension NIOSSLClientHandler: ListenedClient {}

enum ListeningTLS {
    /// A handler that speaks TLS to a host and tells the listener of its certificates.
    static func handler(
        _ context: NIOSSLContext, host: String, listener: ChainListener
    ) throws -> NIOSSLClientHandler {
        func make<Client: ListenedClient>(_ type: Client.Type, _ name: String?) throws -> Client {
            try type.init(context: context, serverHostname: name) { result, certificate in
                listener.judged(certificate, result)
            }
        }
        return try make(NIOSSLClientHandler.self, host.serverName)
    }
}
