// Ferry: FerryURLSession
// A request as it is kept.

import Foundation
import FoundationNetworking

/// A request without its body, as it is kept with a transfer.
struct RequestRecord: Codable, Equatable, Sendable {
    var url: String
    var method: String
    var headers: [String: String]
    var timeout: Double
    var cachePolicy: UInt
    var allowsCellular: Bool
    var allowsExpensive: Bool
    var allowsConstrained: Bool

    init(_ request: URLRequest) {
        url = request.url?.absoluteString ?? ""
        method = request.httpMethod ?? "GET"
        headers = request.sentFields
        timeout = request.timeoutInterval.isFinite ? request.timeoutInterval : .greatestFiniteMagnitude
        cachePolicy = request.cachePolicy.rawValue
        allowsCellular = request.allowsCellularAccess
        allowsExpensive = request.allowsExpensiveNetworkAccess
        allowsConstrained = request.allowsConstrainedNetworkAccess
    }

    /// Nil if the URL is none.
    var request: URLRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(
            url: url, cachePolicy: URLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy,
            timeoutInterval: timeout)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.allowsCellularAccess = allowsCellular
        request.allowsExpensiveNetworkAccess = allowsExpensive
        request.allowsConstrainedNetworkAccess = allowsConstrained
        return request
    }
}
