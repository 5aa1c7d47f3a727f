import FerryCore
import Foundation
import FoundationNetworking

/// A configuration's settings for the connections of its requests: proxies and TLS versions.
///
/// Sessions, and the managers of the download chain, apply it with this one function.
struct ConnectionSettings: Sendable {
    /// The app's environment when the configuration was read. The configuration's own proxies replace the app's.
    let caller: CallerEnvironment
    private let minimumTLS: TLSVersion?
    private let maximumTLS: TLSVersion?

    init(_ configuration: URLSessionConfiguration, caller: CallerEnvironment = .ofApp) {
        var caller = caller
        caller.proxies = ProxyMapping.environment(configuration.connectionProxyDictionary, inherited: caller.proxies)
        self.caller = caller
        minimumTLS = TLSMapping.version(configuration.tlsMinimumSupportedProtocolVersion)
        maximumTLS = TLSMapping.version(configuration.tlsMaximumSupportedProtocolVersion)
    }

    func apply(to request: inout TransferRequest) {
        caller.apply(to: &request)
        request.tls.minimumVersion = minimumTLS
        request.tls.maximumVersion = maximumTLS
    }
}
