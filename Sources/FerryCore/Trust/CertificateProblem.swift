/// The one thing for which a server's certificate is not trusted, as a word that programs may rely on.
package enum CertificateProblem: String, CaseIterable, Hashable, Sendable {
    case expired
    case notYetValid = "not_yet_valid"
    /// It is signed by itself, and by no authority.
    case selfSigned = "self_signed"
    /// Its authority is not trusted.
    case unknownIssuer = "unknown_issuer"
    /// Servers may not use it, or it is damaged.
    case wrongPurpose = "wrong_purpose"
    /// It names other hosts than the one that was asked.
    case otherHost = "other_host"
    /// This machine trusts no authority at all.
    case noAuthorities = "no_authorities"
    /// A word of a newer peer.
    case unknown
}

extension CertificateProblem: Codable {
    package init(from decoder: any Decoder) throws {
        self = CertificateProblem(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
