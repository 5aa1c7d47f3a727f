import FerryCore
import FerryDisk
import NIOCore
import NIOSSL
import Synchronization

/// The TLS contexts of connections. Connections with equal settings share one.
final class TLSContexts: Sendable {
    /// The contexts of one connection.
    struct Pair: Sendable {
        var origin: NIOSSLContext?
        var proxy: NIOSSLContext?
    }

    private struct Settings: Hashable {
        var minimum: FerryCore.TLSVersion?
        var maximum: FerryCore.TLSVersion?
        var trust: TrustMaterial?
        var isInsecure = false
        var offersHTTP2 = false
        var isStream = false
        /// Versions of the engine's root files. Used if the request has no trust settings.
        var roots: [FileVersion?] = []
    }

    /// Maximum number of contexts. Requests may name any number of certificates.
    private static let mostContexts = 16

    private let trust: TrustRoots
    /// Returns the queue that reads the certificates of a trust.
    private let disk: @Sendable (TrustMaterial?) -> DiskQueue
    private let known = Mutex<[Settings: NIOSSLContext]>([:])

    init(_ trust: TrustRoots, disk: @escaping @Sendable (TrustMaterial?) -> DiskQueue) {
        self.trust = trust
        self.disk = disk
    }

    /// Returns the contexts that a connection needs. Fails with a ``ServiceError``.
    ///
    /// Certificates are read on a thread of their disk, again if their files have changed.
    func contexts(of target: ConnectionTarget, on loop: any EventLoop) -> EventLoopFuture<Pair> {
        let key = target.key
        let isProxySecure = key.proxy?.scheme == .https
        guard target.isSecure || isProxySecure else { return loop.makeSucceededFuture(Pair()) }
        let queue = disk(key.trust)
        return loop.makeFutureWithTask { [self] in
            try await queue.result { _ throws(DiskError) in
                Result { () throws(ServiceError) in
                    var pair = Pair()
                    if target.isSecure {
                        pair.origin = try self.context(
                            key, key.trust, isInsecure: key.isInsecure && !key.asksForTrust,
                            offersHTTP2: key.offersHTTP2)
                    }
                    if isProxySecure {
                        // The proxy gets the user's credentials, so its certificate is verified even if an origin's is
                        // not.
                        pair.proxy = try self.context(key, key.trust?.withoutClientCertificate, isInsecure: false)
                    }
                    return pair
                }
            }.mapError(\.transferError).get().get()
        }
    }

    private func context(
        _ key: ConnectionKey, _ material: TrustMaterial?, isInsecure: Bool, offersHTTP2: Bool = false
    ) throws(ServiceError) -> NIOSSLContext {
        let settings = Settings(
            minimum: key.minimumTLS, maximum: key.maximumTLS, trust: material, isInsecure: isInsecure,
            offersHTTP2: offersHTTP2, isStream: key.isStream, roots: material == nil ? trust.versions : [])
        if let context = known.withLock({ $0[settings] }) { return context }
        var configuration = trust.configuration(
            isInsecure: isInsecure, minimum: key.minimumTLS, maximum: key.maximumTLS, material: material)
        configuration.applicationProtocols = key.isStream ? [] : offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        do {
            let context = try NIOSSLContext(configuration: configuration)
            known.withLock { known in
                if known.count >= Self.mostContexts { known = [:] }
                known[settings] = context
            }
            return context
        } catch {
            throw ServiceError(.tlsFailed, "TLS cannot be set up (\(error)).".escapingControls)
        }
    }
}
