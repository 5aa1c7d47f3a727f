package import FerryCore
import Foundation
package import FoundationNetworking

/// Creates the transfer of a request, with everything that a configuration and the request determine. Sessions,
/// managers and chains differ only in what they add to it.
package struct RequestMapping: Sendable {
    /// The client that a transfer belongs to.
    package enum Owner: Sendable {
        /// A session. While its transfers run, its delegate, cookies and stored credentials answer servers.
        case session
        /// A manager. Its transfers get cookies and stored credentials when they are created, and limits that it may
        /// change later from its settings.
        case manager
    }

    package let configuration: URLSessionConfiguration
    package let session: SessionID
    private let owner: Owner
    private let connection: ConnectionSettings

    /// The proxies of the configuration, as environment variables.
    var proxies: [String: String] { connection.caller.proxies }
    var isBackground: Bool { configuration.kind == .background }

    /// - Parameter caller: The app's environment. The configuration's own proxies replace the app's.
    package init(
        _ configuration: URLSessionConfiguration, session: SessionID, owner: Owner = .session,
        caller: CallerEnvironment = .ofApp
    ) {
        self.configuration = configuration
        self.session = session
        self.owner = owner
        connection = ConnectionSettings(configuration, caller: caller)
    }

    /// Returns the transfer of a request. It has no destination, and is final after its first failure unless a service
    /// outside of the app runs it.
    package func transfer(_ request: URLRequest) -> TransferRequest {
        var result = TransferRequest(url: request.url?.absoluteString ?? "", folder: "")
        result.session = session
        result.method = request.httpMethod ?? "GET"
        result.headers = fields(request)
        result.body = request.httpBody.map { .bytes($0) }
        result.login = login(request)
        connection.apply(to: &result)
        // All fields but credentials are sent to redirect targets.
        result.transport.foreignFields = .keep
        result.transport.redirects.allowPrivateRedirects = true
        result.transport.network = network(request)
        result.timing.idleTimeout = idleTimeout(request)
        result.timing.resourceTimeout = RequestFieldMapping.limit(configuration.timeoutIntervalForResource)
        // Only the resource timeout ends a transfer without progress.
        result.timing.giveUpAfter = 0
        if isBackground {
            result.timing.retryRule = RetryRule()
        } else {
            (result.timing.retries, result.timing.statusRetries) = (0, 0)
        }
        return result
    }

    /// Returns a request's header fields, including the configuration's additional fields.
    package func fields(_ request: URLRequest) -> [HeaderField] { RequestFieldMapping.fields(request, configuration) }

    /// Returns the error of a request that a download cannot carry out, if any.
    package static func refusal(_ request: URLRequest, _ configuration: URLSessionConfiguration) -> URLError? {
        // The cache only contains responses of data tasks.
        guard RequestFieldMapping.cachePolicy(request, configuration) == .returnCacheDataDontLoad else { return nil }
        return URLError.failing(.resourceUnavailable, request.url)
    }

    /// Returns the settings that a manager's configuration determines for all of its transfers.
    package func settings(_ limits: SessionSettings) -> SessionSettings {
        var settings = limits
        settings.network = Self.network(nil, configuration)
        settings.idleTimeout = RequestFieldMapping.sent(configuration.timeoutIntervalForRequest)
        return settings
    }

    // MARK: Networks and time

    /// Combines the request's and the configuration's flags. The stricter value applies.
    ///
    /// - Parameter request: Nil for the configuration's flags alone.
    static func network(_ request: URLRequest?, _ configuration: URLSessionConfiguration) -> NetworkPolicy {
        let isBackground = configuration.kind == .background
        let policy = NetworkPolicy(
            allowsCellular: configuration.allowsCellularAccess,
            allowsExpensive: configuration.allowsExpensiveNetworkAccess,
            allowsConstrained: configuration.allowsConstrainedNetworkAccess,
            isDiscretionary: isBackground && configuration.isDiscretionary,
            waits: isBackground || configuration.waitsForConnectivity)
        return request.map { policy.restricted(by: $0.networkPolicy) } ?? policy
    }

    private func network(_ request: URLRequest) -> NetworkPolicy {
        switch owner {
        case .session: Self.network(request, configuration)
        case .manager: request.networkPolicy
        }
    }

    /// Returns the timeout in seconds for receiving the next byte. Nil uses the settings of the session.
    private func idleTimeout(_ request: URLRequest) -> Double? {
        let own = RequestFieldMapping.ownTimeout(request)
        switch owner {
        case .session: return RequestFieldMapping.sent(own ?? configuration.timeoutIntervalForRequest)
        case .manager: return own.map { RequestFieldMapping.sent($0) }
        }
    }

    // MARK: Cookies and credentials

    /// Whether the configuration has any cookies or credentials to send.
    package var hasLogins: Bool {
        configuration.httpCookieStorage?.cookies?.isEmpty == false
            || configuration.urlCredentialStorage?.isEmpty == false
    }

    /// Returns the cookies and credentials that the transfer sends (docs/behaviour/url-session.md#23).
    package func login(_ request: URLRequest) -> LoginOptions {
        var login = LoginOptions()
        let jar = CookieJar(configuration, request: request)
        guard isBackground || owner == .manager else { return login }
        login.usesSessionCookies = jar.isOpen
        guard let url = request.url else { return login }
        login.cookies = jar.cookies(for: url).map { cookie in
            GivenCookie(
                name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
                secure: cookie.isSecure)
        }
        if owner == .manager { login.logins = configuration.urlCredentialStorage?.logins(for: url) ?? [] }
        return login
    }
}

extension URLRequest {
    /// The request's own network flags.
    fileprivate var networkPolicy: NetworkPolicy {
        NetworkPolicy(
            allowsCellular: allowsCellularAccess, allowsExpensive: allowsExpensiveNetworkAccess,
            allowsConstrained: allowsConstrainedNetworkAccess)
    }
}
