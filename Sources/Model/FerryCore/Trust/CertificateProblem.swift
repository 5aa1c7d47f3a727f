/// The reason why a server's certificate is not trusted. A stable identifier.
package enum CertificateProblem: String, CaseIterable, Hashable, Sendable {
    case expired
    case notYetValid = "not_yet_valid"
    /// Self-signed.
    case selfSigned = "self_signed"
    /// Signed by an untrusted authority.
    case unknownIssuer = "unknown_issuer"
    /// Not usable for servers, or damaged.
    case wrongPurpose = "wrong_purpose"
    /// Issued for other host names.
    case otherHost = "other_host"
    /// No trusted authorities on this machine.
    case noAuthorities = "no_authorities"
    /// A reason from a newer version.
    case unknown
}

extension CertificateProblem: Codable {
    package init(from decoder: any Decoder) throws {
        self = CertificateProblem(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
