package import FerryCore
import NIOSSL

/// A request's trust with its files as they were when they were read: what connections of one pool have in common.
///
/// Whatever a connection trusts or shows was read before, on a thread that may wait for the disk.
struct TrustMaterial: Hashable, Sendable {
    let trust: RequestTrust
    /// The versions of the files that the trust names, in their order; nil for a file that is not there.
    private let versions: [FileVersion?]
    /// Nil for the system's roots.
    var authorities: Authorities?
    /// The client's certificate, with the certificates between it and its authority.
    var chain: [NIOSSLCertificate] = []
    var key: NIOSSLPrivateKey?

    init(_ trust: RequestTrust, versions: [FileVersion?]) {
        self.trust = trust
        self.versions = versions
    }

    /// The same trust, towards servers that are shown no certificate.
    var withoutClientCertificate: TrustMaterial {
        var other = TrustMaterial(trust.foreign, versions: versions)
        other.authorities = authorities
        return other
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

/// The trust of requests.
extension Engine {
    /// Looks whether the files of a request's trust can be used.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` that names the file which cannot.
    package func check(_ trust: RequestTrust?) async throws(ServiceError) { _ = try await material(of: trust) }

    /// Where the certificates of a trust are read: a disk that does not answer holds up no certificates elsewhere.
    func certificates(of trust: TrustMaterial?) -> DiskQueue { certificates(of: trust?.trust ?? RequestTrust()) }

    private func certificates(of trust: RequestTrust) -> DiskQueue {
        let path = trust.authorities.first ?? trust.certificate ?? trust.key
        return disk.at(.folder(path?.folderPart ?? "certificates of the system"))
    }

    /// What the connections of a request show and trust; its files are read if they have changed.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` that names the file which cannot be used.
    func material(of trust: RequestTrust?) async throws(ServiceError) -> RequestMaterial {
        guard let trust else { return RequestMaterial() }
        // Where the engine trusts the system's roots too, requests share its connections.
        if trust.isUsual, configuration.trust.isUsual { return RequestMaterial() }
        let files = trustFiles
        let looked = await certificates(of: trust).result { _ throws(DiskError) in
            Result { () throws(ServiceError) -> RequestMaterial in
                let home = try files.read(trust)
                let foreign = trust.foreign == trust ? home : try files.read(trust.foreign)
                return RequestMaterial(home: home, foreign: foreign)
            }
        }
        switch looked {
        case .success(let result): return try result.get()
        case .failure(let error): throw error.transferError
        }
    }
}
