package import FerryCore
import FerryDisk
import NIOSSL

/// A request's trust settings with the file contents at the time of reading. Connections of one pool share it.
///
/// All contents are read in advance, on a thread that may wait for the disk.
struct TrustMaterial: Hashable, Sendable {
    let trust: RequestTrust
    /// Versions of the named files, in order. `nil` for a missing file.
    private let versions: [FileVersion?]
    /// `nil` for the system's roots.
    var authorities: Authorities?
    /// The client's certificate, followed by its intermediate certificates.
    var chain: [NIOSSLCertificate] = []
    var key: NIOSSLPrivateKey?

    init(_ trust: RequestTrust, versions: [FileVersion?]) {
        self.trust = trust
        self.versions = versions
    }

    /// The same trust without the client certificate, for other servers.
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

    /// Adds the client's certificate to a configuration.
    func show(in configuration: inout TLSConfiguration) {
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = key.map { .privateKey($0) }
    }
}

/// The trust settings and client certificate for the connections of one request.
struct RequestMaterial: Sendable {
    /// For the request's own origin. `nil` uses the engine's trust.
    var home: TrustMaterial?
    /// For all other origins, without the client certificate.
    var foreign: TrustMaterial?
}

/// Trust settings of requests.
extension Engine {
    /// Checks that the files of a request's trust are usable.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` that names the unusable file.
    package func check(_ trust: RequestTrust?) async throws(ServiceError) { _ = try await material(of: trust) }

    /// Returns the trust settings and client certificate for a request's connections. Reads the files if they have
    /// changed.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` that names the unusable file.
    func material(of trust: RequestTrust?) async throws(ServiceError) -> RequestMaterial {
        guard let trust else { return RequestMaterial() }
        // If the engine trusts the system's roots too, requests share its connections.
        if trust.isUsual, configuration.trust.isUsual { return RequestMaterial() }
        let files = trustFiles
        let inspected = await disk.certificates(of: trust).result { _ throws(DiskError) in
            Result { () throws(ServiceError) -> RequestMaterial in
                let home = try files.read(trust)
                let foreign = trust.foreign == trust ? home : try files.read(trust.foreign)
                return RequestMaterial(home: home, foreign: foreign)
            }
        }
        switch inspected {
        case .success(let result): return try result.get()
        case .failure(let error): throw error.transferError
        }
    }
}

extension DiskQueue {
    /// Returns the queue for reading the certificates of a trust. A disk that does not respond delays no certificates
    /// elsewhere.
    func certificates(of trust: RequestTrust?) -> DiskQueue {
        let path = trust.flatMap { $0.authorities.first ?? $0.certificate ?? $0.key }
        return at(.folder(path?.folderPart ?? "certificates of the system"))
    }
}
