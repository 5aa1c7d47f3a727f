import FerryCore
import FerryRules
import Foundation
import NIOSSL

/// The certificates that a server sent in one handshake, with the faults found by the default evaluation.
struct ShownCertificates: Sendable {
    /// DER, leaf first.
    let chain: [Data]
    let fault: CertificateFault?
}

/// Observes the TLS library's evaluation of a chain, and lets every chain pass unless it is strict.
///
/// The faults are recorded: no request is sent before they are judged. Runs on the event loop of its connection.
final class ChainListener {
    /// Whether the handshake fails with the first fault, before a client certificate is sent.
    private let isStrict: Bool
    /// Ordered by the library's last report of each. It reports the chain from the root to the leaf, and reports a
    /// certificate again if it breaks the name constraints of another one.
    private var certificates: [NIOSSLCertificate] = []
    private var faulty: [NIOSSLCertificate] = []

    init(isStrict: Bool = false) { self.isStrict = isStrict }

    func judged(_ certificate: NIOSSLCertificate, _ result: NIOSSLVerificationResult) -> NIOSSLVerificationResult {
        certificates.removeAll { $0 == certificate }
        certificates.append(certificate)
        if result == .failed { faulty.append(certificate) }
        return isStrict ? result : .certificateVerified
    }

    /// Returns the received certificates, with the host name checked if requested.
    ///
    /// - Parameter host: The host that the certificate must match. `nil` accepts any.
    /// - Parameter leaf: The certificate with the key that the server used in the handshake. The order of the reports
    ///   does not identify it: a server may add foreign certificates, and one of them could pass for its own.
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
    /// Converts seconds since 1970 to a date.
    fileprivate var date: Date { Date(timeIntervalSince1970: TimeInterval(self)) }
}

/// A TLS client that reports the library's verdict on each certificate.
///
/// The library's own evaluation stays active, unlike with a custom one. The initializer for it is deprecated in favor
/// of a custom evaluation, so it is called through a protocol requirement.
private protocol ListenedClient: AnyObject {
    init(context: NIOSSLContext, serverHostname: String?, verificationCallback: NIOSSLVerificationCallback?) throws
}

extension NIOSSLClientHandler: ListenedClient {}

enum ListeningTLS {
    /// Returns a TLS handler for a host that reports its certificates to the listener.
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

extension ServerIdentity {
    /// Reads the alternative names of a certificate.
    init(of certificate: NIOSSLCertificate) {
        var names: [String] = []
        var addresses: [[UInt8]] = []
        for name in certificate._subjectAlternativeNames() {
            switch name.nameType {
            case .dnsName: names.append(String(decoding: name.contents, as: UTF8.self))
            case .ipAddress: addresses.append(Array(name.contents))
            default: break
            }
        }
        self.init(names: names, addresses: addresses)
    }
}
