// Ferry: FerryURLSession
// A request as a property list.

import Foundation
import FoundationNetworking

/// A request as a property list, and back.
enum RequestList {
    private enum Key {
        static let url = "URL"
        static let method = "Method"
        static let headers = "Headers"
        static let timeout = "TimeoutInterval"
        static let cachePolicy = "CachePolicy"
        static let cellular = "AllowsCellularAccess"
        static let expensive = "AllowsExpensiveNetworkAccess"
        static let constrained = "AllowsConstrainedNetworkAccess"
    }

    static func list(_ request: URLRequest) -> [String: Any] {
        [
            Key.url: request.url?.absoluteString ?? "", Key.method: request.httpMethod ?? "GET",
            Key.headers: request.sentFields, Key.timeout: request.timeoutInterval,
            Key.cachePolicy: Int(request.cachePolicy.rawValue), Key.cellular: request.allowsCellularAccess,
            Key.expensive: request.allowsExpensiveNetworkAccess,
            Key.constrained: request.allowsConstrainedNetworkAccess,
        ]
    }

    /// - Returns: nil if a value is missing or of another type.
    static func request(_ list: StrictList) -> URLRequest? {
        guard let url = list.text(Key.url).flatMap({ URL(string: $0) }),
            let method = list.text(Key.method), let headers = list.texts(Key.headers),
            let timeout = list.real(Key.timeout), timeout >= 0,
            let number = list.integer(Key.cachePolicy).flatMap({ UInt(exactly: $0) }),
            let policy = URLRequest.CachePolicy(rawValue: number),
            let cellular = list.flag(Key.cellular), let expensive = list.flag(Key.expensive),
            let constrained = list.flag(Key.constrained)
        else { return nil }
        var request = URLRequest(url: url, cachePolicy: policy, timeoutInterval: timeout)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.allowsCellularAccess = cellular
        request.allowsExpensiveNetworkAccess = expensive
        request.allowsConstrainedNetworkAccess = constrained
        return request
    }
}
