import FerryCore
public import Foundation
public import FoundationNetworking

/// A server's certificates in a challenge.
extension URLProtectionSpace {
    /// The certificates that a server has shown, in DER form, its own first; nil in other challenges.
    public var certificateChain: [Data]? { (self as? ServerTrustSpace)?.certificates }
}

extension URLCredential {
    /// With `.useCredential`: this server's certificate is accepted, whatever the evaluation finds.
    public static var serverTrustAccepted: URLCredential { ServerTrustCredential.shared.credential }

    /// Whether this is ``serverTrustAccepted``.
    var acceptsServerTrust: Bool { self === ServerTrustCredential.shared.credential }
}

/// The protection space of a server that shows its certificates.
final class ServerTrustSpace: URLProtectionSpace, @unchecked Sendable {  // SAFETY: immutable after init
    let certificates: [Data]

    init(_ challenge: TrustChallenge) {
        certificates = challenge.certificates
        super.init(
            host: challenge.host, port: challenge.port, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
    }

    required init?(coder: NSCoder) { nil }
}

/// Holds the one credential that accepts a certificate; it is known by its identity.
private struct ServerTrustCredential: @unchecked Sendable {  // SAFETY: Foundation's credential is immutable
    static let shared = ServerTrustCredential()
    let credential = URLCredential(user: "", password: "", persistence: .none)
}
