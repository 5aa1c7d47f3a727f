import FerryCore
public import Foundation
public import FoundationNetworking

/// The server certificates of a challenge.
extension URLProtectionSpace {
    /// The server's certificates in DER form, leaf first; nil in other challenges.
    public var certificateChain: [Data]? { (self as? ServerTrustSpace)?.certificates }
}

extension URLCredential {
    /// Accepts the server's certificate regardless of the evaluation's result. Pass it with `.useCredential`.
    public static var serverTrustAccepted: URLCredential { ServerTrustCredential.shared.credential }

    /// Whether this is ``serverTrustAccepted``.
    var acceptsServerTrust: Bool { self === ServerTrustCredential.shared.credential }
}

/// The protection space of a server trust challenge.
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

/// The one credential that accepts a certificate, recognized by its identity.
private struct ServerTrustCredential: @unchecked Sendable {  // SAFETY: Foundation's credential is immutable
    static let shared = ServerTrustCredential()
    let credential = URLCredential(user: "", password: "", persistence: .none)
}
