import FerryCore
import FerryDisk
import FerryRules
import Foundation

/// The reason why a server's certificate is not trusted.
enum CertificateFault: Error, Hashable, Sendable {
    case expired(Date)
    case notYetValid(Date)
    /// Self-signed, and issued by no authority.
    case selfSigned
    /// The authority that issued the certificate, or the last one the server sent, is not trusted.
    case unknownIssuer(String?)
    /// Like `unknownIssuer`, but the server sent the authority's own certificate.
    case unknownRoot(String?)
    /// The chain is valid, but the certificate is not for servers or is damaged.
    case wrongPurpose
    case otherHost(ServerIdentity)
    /// This machine trusts no authority at all.
    case noAuthorities
    /// The TLS library reports no cause.
    case unverified

    /// - Parameter host: The server as named in a sentence.
    func transferError(of host: String, url: HTTPURL) -> ServiceError {
        let sentence =
            switch self {
            case .expired(let date): "The certificate of \(host) expired on \(Self.day(date))."
            case .notYetValid(let date): "The certificate of \(host) is not valid before \(Self.day(date))."
            case .selfSigned: "The certificate of \(host) is self-signed."
            case .unknownIssuer(let name), .unknownRoot(let name):
                "The certificate of \(host) was issued by \(name.map { "“\($0)”" } ?? "an authority without a name"), "
                    + "which is not trusted here."
            case .wrongPurpose: "The certificate of \(host) is not valid for servers, or is damaged."
            case .otherHost(let identity):
                "The certificate of \(host) "
                    + (identity.summary.map { "is for another host: it names \($0)." } ?? "names no host.")
            case .noAuthorities:
                "The certificate of \(host) cannot be verified: this machine has no certificate authorities. "
                    + "Install the package ca-certificates."
            case .unverified:
                "The certificate of \(host) is not trusted: it is expired, for another purpose, or from an unknown issuer."
            }
        var details = ErrorDetails(urlError: urlError, url: url.redacted)
        details.certificate = problem
        return ServiceError(.tlsCertificate, sentence, details: details)
    }

    /// The problem's code, or `nil` if there is none.
    private var problem: CertificateProblem? {
        switch self {
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .selfSigned: .selfSigned
        case .unknownIssuer, .unknownRoot: .unknownIssuer
        case .wrongPurpose: .wrongPurpose
        case .otherHost: .otherHost
        case .noAuthorities: .noAuthorities
        case .unverified: nil
        }
    }

    /// Foundation's error code.
    private var urlError: Int {
        switch self {
        case .expired: -1201
        case .selfSigned, .unknownIssuer, .wrongPurpose, .otherHost, .noAuthorities, .unverified: -1202
        case .unknownRoot: -1203
        case .notYetValid: -1204
        }
    }

    private static func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }
}

/// A second examination of a server's certificates, after the TLS library failed to verify them.
struct CertificateExamination {
    let engine: Engine

    /// Returns an error with the specific fault of the server's certificate.
    ///
    /// With a client certificate, the TLS library stops at the first fault. So this requests the certificates again, on a
    /// connection that sends nothing, not even that certificate.
    func explained(_ error: ServiceError, of exchange: Exchange) async -> ServiceError {
        guard error.code == .tlsCertificate else { return error }
        var error = error
        if error == CertificateFault.unverified.transferError(of: exchange.url.host, url: exchange.url) {
            var asked = ExchangeRequest(url: exchange.url, fields: [], key: exchange.key, timeouts: exchange.timeouts)
            asked.key.trust = asked.key.trust?.withoutClientCertificate
            asked.advisor = CertificateExaminer()
            if let second = try? engine.open(asked) {
                do throws(ServiceError) { _ = try await second.head() } catch let found {
                    if found.code == .tlsCertificate { error = found }
                }
                second.stop()
            }
        }
        guard [-1202, -1203].contains(error.details.urlError), await trustsNobody(exchange.key.trust) else {
            return error
        }
        return CertificateFault.noAuthorities.transferError(of: exchange.url.host, url: exchange.url)
    }

    /// Returns whether the system's authorities are needed and there are none.
    private func trustsNobody(_ material: TrustMaterial?) async -> Bool {
        guard material.map({ $0.authorities == nil }) ?? engine.configuration.trust.isUsual else { return false }
        let inspected = await engine.disk.certificates(of: nil).result { _ throws(DiskError) in
            RootCertificates.systemIsEmpty
        }
        return (try? inspected.get()) ?? false
    }
}

/// Examines certificates, and permits no request.
private struct CertificateExaminer: ExchangeAdvisor {
    func cookies(for url: HTTPURL) async -> String? { nil }
    func receivedCookies(_ fields: [String], from url: HTTPURL) async {}
    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer { .stay }
    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer { .cancel }
    func answer(_ challenge: TrustChallenge) async -> TrustAnswer { .reject }
}
