import FerryCore
import Foundation
import FoundationNetworking

/// Completes a request with its session's configuration.
enum RequestFieldMapping {
    /// Fields about the connection or the message, which the engine sets. Foundation ignores them in requests too.
    private static let ofEngine: Set<String> = [
        "host", "connection", "keep-alive", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect",
    ]
    /// Fields that a configuration never adds (docs/behaviour/url-session.md#20).
    private static let neverAdded: Set<String> = [
        "connection", "host", "proxy-authenticate", "proxy-authorization", "www-authenticate",
    ]
    /// The content codings accepted by data tasks.
    static let acceptedCodings = "gzip, deflate"
    /// Fields that are not sent to another origin (docs/behaviour/url-session.md#13).
    static let ofOrigin: Set<String> = ["authorization", "cookie", "proxy-authorization"]
    /// Apple's default timeout. A request with this value uses the session's timeout.
    private static let usualTimeout = 60.0

    /// Returns a request's fields, sorted by name.
    ///
    /// - Parameter acceptsEncodings: Whether to offer content codings, as data tasks do. Downloads offer none, since
    ///   their file holds the content without any coding.
    static func fields(
        _ request: URLRequest, _ configuration: URLSessionConfiguration, acceptsEncodings: Bool = false
    ) -> [HeaderField] {
        var fields = adding(configuration, to: request).sentFields
        var names = Set(fields.keys.map { $0.lowercased() })
        func add(_ name: String, _ value: String) {
            if names.insert(name.lowercased()).inserted { fields[name] = value }
        }
        if cachePolicy(request, configuration) == .reloadIgnoringLocalAndRemoteCacheData {
            add("Cache-Control", "no-cache")
            add("Pragma", "no-cache")
        }
        if request.httpMethod == "POST", request.httpBody != nil {
            add("Content-Type", "application/x-www-form-urlencoded")
        }
        if acceptsEncodings { add("Accept-Encoding", acceptedCodings) }
        let sent = fields.filter { !ofEngine.contains($0.key.lowercased()) && !$0.key.lowercased().hasPrefix("proxy-") }
            .map { HeaderField(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
        return acceptsEncodings ? sent : AcceptedCodings.leftToFerry(sent)
    }

    /// Returns a request with the fields that a configuration adds (docs/behaviour/url-session.md#20).
    static func adding(_ configuration: URLSessionConfiguration, to request: URLRequest) -> URLRequest {
        var request = request
        for (key, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = key.base as? String, !neverAdded.contains(name.lowercased()),
                request.value(forHTTPHeaderField: name) == nil,
                !(request.hasLeftOrigin && ofOrigin.contains(name.lowercased()))
            else { continue }
            request.setValue(value as? String ?? "\(value)", forHTTPHeaderField: name)
        }
        return request
    }

    /// Returns the request's cache policy, or the configuration's if the request has none.
    static func cachePolicy(
        _ request: URLRequest, _ configuration: URLSessionConfiguration
    ) -> URLRequest.CachePolicy {
        request.cachePolicy == .useProtocolCachePolicy ? configuration.requestCachePolicy : request.cachePolicy
    }

    /// Returns the timeout in seconds for receiving the next byte (docs/behaviour/url-session.md#21); nil is no limit.
    static func timeout(_ request: URLRequest, _ configuration: URLSessionConfiguration) -> Double? {
        limit(ownTimeout(request) ?? configuration.timeoutIntervalForRequest)
    }

    /// Returns the request's own timeout, or nil if the session's applies.
    static func ownTimeout(_ request: URLRequest) -> Double? {
        request.timeoutInterval == usualTimeout ? nil : request.timeoutInterval
    }

    /// Converts a timeout for the engine, which applies its own limit if it gets no value.
    static func sent(_ seconds: Double) -> Double { limit(seconds) ?? longest }

    /// Converts a timeout in seconds to the engine's; nil is no limit.
    static func limit(_ seconds: Double) -> Double? {
        seconds > 0 && seconds < longest ? SettingRange<Double>.idleTimeout.clamp(seconds) : nil
    }

    /// Ten years. Longer times count as no limit.
    static let longest = SettingRange<Double>.longest
}
