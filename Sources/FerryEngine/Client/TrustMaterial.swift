// Ferry: FerryEngine
// A request's trust, with its files as they were read.

import FerryCore
import NIOSSL

/// A request's trust with its files as they were when they were read: what connections of one pool have in common.
///
/// Whatever a connection trusts or shows was read before, on a thread that may wait for the disk.
struct TrustMaterial: Hashable, Sendable {
    let trust: RequestTrust
    /// Of the files that it names, in their order; nil for those that are not there.
    private let versions: [FileVersion?]
    /// Nil for the system's roots.
    var authorities: Authorities?
    /// The client's certificate, with those between it and its authority.
    var chain: [NIOSSLCertificate] = []
    var key: NIOSSLPrivateKey?

    init(_ trust: RequestTrust, versions: [FileVersion?]) {
        self.trust = trust
        self.versions = versions
    }

    static func == (one: TrustMaterial, other: TrustMaterial) -> Bool {
        one.trust == other.trust && one.versions == other.versions
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(trust)
        hasher.combine(versions)
    }

    /// Lets a configuration show the client's certificate.
    func show(in configuration: inout TLSConfiguration) {
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = key.map { .privateKey($0) }
    }
}

/// What the connections of one request show and trust.
struct RequestMaterial: Sendable {
    /// To the request's own origin; nil is the engine's own trust.
    var home: TrustMaterial?
    /// To all others, which are shown no certificate.
    var foreign: TrustMaterial?
}
