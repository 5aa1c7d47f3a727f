import FerryCore
import Foundation
import FoundationNetworking

/// What a download needs to go on in another task, process or session: a property list with Apple's keys, and Ferry's.
///
/// As secret as the request, whose fields it holds.
struct ResumeData: Equatable, Sendable {
    /// Where the partial file is.
    enum Directory: String, Sendable {
        /// The daemon's spool.
        case spool
        /// That of the apps' own downloads.
        case temporary
    }

    var fileName: String
    var directory: Directory
    var received: Int64
    /// -1 while it is not known.
    var expectedLength: Int64
    var entityTag: String?
    var serverDate: String?
    /// The `Date` field of the response, which says whether ``serverDate`` is a strong validator.
    var responseDate: String?
    /// Digests that the bytes must still be compared with.
    var pendingDigests: PendingDigests?
    var originalRequest: URLRequest
    var currentRequest: URLRequest
    var description: String?
    var priority: Float
    var options: TaskOptions?

    /// The version of the format that is written, and the only one that is read.
    static let format = 1
    /// The version of Apple's format whose keys are there.
    static let appleVersion = 4
}

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
