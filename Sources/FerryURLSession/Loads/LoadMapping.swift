// Ferry: FerryURLSession
// From a request of Foundation's to one of the engine's.

import FerryCore
import FerryEngine
import Foundation
import FoundationNetworking

/// Makes the engine's request of a data or upload task.
enum LoadMapping {
    static func request(
        _ request: URLRequest, body: LoadBody, configuration: URLSessionConfiguration, proxies: [String: String],
        trust: TrustScope
    ) -> LoadRequest {
        var load = LoadRequest(
            url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
            fields: RequestFieldMapping.fields(request, configuration, acceptsEncodings: true), body: body)
        load.idleTimeout = RequestFieldMapping.timeout(request, configuration)
        load.proxyEnvironment = proxies
        load.trust = trust
        load.minimumTLS = TLSMapping.version(configuration.tlsMinimumSupportedProtocolVersion)
        load.maximumTLS = TLSMapping.version(configuration.tlsMaximumSupportedProtocolVersion)
        load.decodes = true
        return load
    }
}
