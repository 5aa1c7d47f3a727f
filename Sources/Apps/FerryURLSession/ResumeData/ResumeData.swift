import FerryCore
import Foundation
import FoundationNetworking

/// The state for resuming a download in another task, process or session: a property list with Apple's keys and
/// Ferry's.
///
/// As confidential as the request, since it contains the request's fields.
struct ResumeData: Equatable, Sendable {
    /// The folder of the partial file.
    enum Directory: String, Sendable {
        /// The daemon's spool.
        case spool
        /// The folder for downloads that run in apps.
        case temporary
    }

    var fileName: String
    var directory: Directory
    var received: Int64
    /// -1 while unknown.
    var expectedLength: Int64
    var entityTag: String?
    var serverDate: String?
    /// The `Date` field of the response. It determines whether ``serverDate`` is a strong validator.
    var responseDate: String?
    /// Digests that are still to be verified.
    var pendingDigests: PendingDigests?
    var originalRequest: URLRequest
    /// The request at which the download begins again: the original one, or the app's request in place of it.
    var currentRequest: URLRequest
    var description: String?
    var priority: Float
    var options: TaskOptions?

    /// The format version. Only this version is read.
    static let format = 1
    /// The version of Apple's format that the keys belong to.
    static let appleVersion = 4
}

/// Conversion between requests and property lists.
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

    /// - Returns: Nil if a value is missing or of another type.
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
