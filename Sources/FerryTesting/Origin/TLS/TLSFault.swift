// Ferry: FerryTesting
// How an origin's TLS goes wrong.

/// What an origin presents in the handshake.
package enum TLSFault: String, Hashable, Sendable, CaseIterable {
    /// No fault: a certificate for localhost and 127.0.0.1 by the authority in `caFile`.
    case trusted
    /// As `trusted`, but clients must show a certificate of the same authority, such as `clientFile` with `clientKeyFile`.
    case asksForCertificate
    /// As `trusted`, but the handshake fails where a client's name for the server ends with a full stop (RFC 6066 §3).
    case strictName
    case selfSigned
    case expired
    /// A certificate of the authority for another host.
    case otherHost
    /// A certificate of the authority for another address, 127.0.0.2.
    case otherAddress
    /// A certificate of the authority that names localhost in its subject alone.
    case noNames
    /// A certificate that may only authenticate clients.
    case clientOnlyPurpose
    /// TLS 1.1 at most.
    case oldProtocol
    /// The connection ends after the client's first bytes.
    case handshakeCut
}
