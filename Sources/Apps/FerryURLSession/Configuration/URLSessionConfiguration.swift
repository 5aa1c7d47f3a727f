public import Foundation
public import FoundationNetworking
import Synchronization

/// The configuration of a session. A session copies its configuration when it is created. Later changes do not affect
/// the session.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {  // SAFETY: all state in a Mutex
    private let storage: Mutex<ConfigurationStorage>

    private init(_ start: ConfigurationStorage) {
        storage = Mutex(start)
        super.init()
    }

    /// Creates a configuration equal to `URLSessionConfiguration.default`.
    @available(*, deprecated, message: "use URLSessionConfiguration.default or another of the class properties")
    public override init() {
        storage = Mutex(.foreground())
        super.init()
    }

    /// A configuration whose tasks run in the app. It uses the app's shared cookies and credentials.
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration(.foreground()) }

    /// A configuration whose tasks run in the app. Cookies and credentials are kept in memory, for this session only.
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(.ephemeral()) }

    /// Returns a configuration whose tasks run in the daemon, even while the app is not running.
    ///
    /// - Parameter identifier: Identifies the session within the app. Must not be empty.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        precondition(!identifier.isEmpty, "The identifier of a background session must not be empty.")
        return URLSessionConfiguration(.background(identifier))
    }

    open func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(storage.withLock { $0 }) }

    var kind: SessionKind { storage.withLock(\.kind) }

    /// The background session's identifier; nil in other configurations.
    open var identifier: String? { storage.withLock(\.identifier) }

    /// The cache policy of requests that do not set their own.
    open var requestCachePolicy: URLRequest.CachePolicy {
        get { storage.withLock { $0.requestCachePolicy } }
        set { storage.withLock { $0.requestCachePolicy = newValue } }
    }

    /// Kept for compatibility; no effect.
    open var networkServiceType: URLRequest.NetworkServiceType {
        get { storage.withLock { $0.networkServiceType } }
        set { storage.withLock { $0.networkServiceType = newValue } }
    }

    /// Timeout for receiving the next byte, in seconds. A background session retries the request instead of failing.
    open var timeoutIntervalForRequest: TimeInterval {
        get { storage.withLock { $0.timeoutIntervalForRequest } }
        set { storage.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Maximum duration of a task, in seconds.
    open var timeoutIntervalForResource: TimeInterval {
        get { storage.withLock { $0.timeoutIntervalForResource } }
        set { storage.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    /// Whether cellular networks may be used.
    open var allowsCellularAccess: Bool {
        get { storage.withLock { $0.allowsCellularAccess } }
        set { storage.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether metered networks may be used.
    open var allowsExpensiveNetworkAccess: Bool {
        get { storage.withLock { $0.allowsExpensiveNetworkAccess } }
        set { storage.withLock { $0.allowsExpensiveNetworkAccess = newValue } }
    }

    /// Whether constrained networks, which are to be used sparingly, may be used.
    open var allowsConstrainedNetworkAccess: Bool {
        get { storage.withLock { $0.allowsConstrainedNetworkAccess } }
        set { storage.withLock { $0.allowsConstrainedNetworkAccess = newValue } }
    }

    /// Whether a task waits for connectivity instead of failing. Background sessions always wait.
    open var waitsForConnectivity: Bool {
        get { storage.withLock { $0.waitsForConnectivity } }
        set { storage.withLock { $0.waitsForConnectivity = newValue } }
    }

    /// Whether tasks run only on external power and on an unmetered network. Background sessions only.
    open var isDiscretionary: Bool {
        get { storage.withLock { $0.isDiscretionary } }
        set { storage.withLock { $0.isDiscretionary = newValue } }
    }

    /// Whether the daemon launches the app when all tasks have completed. Background sessions only.
    open var sessionSendsLaunchEvents: Bool {
        get { storage.withLock { $0.sessionSendsLaunchEvents } }
        set { storage.withLock { $0.sessionSendsLaunchEvents = newValue } }
    }

    /// The proxies, by the keys `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the keys with the prefixes `HTTPS` and `SOCKS`,
    /// and `ExceptionsList`. With nil, the proxies of the app's environment are used.
    open var connectionProxyDictionary: [AnyHashable: Any]? {
        get { storage.withLock { $0.connectionProxyDictionary } }
        set { storage.withLock { $0.connectionProxyDictionary = newValue } }
    }

    /// Header fields added to requests that do not set them. Fields about connections and credentials are never added.
    open var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { storage.withLock { $0.httpAdditionalHeaders } }
        set { storage.withLock { $0.httpAdditionalHeaders = newValue } }
    }

    /// The minimum TLS version.
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { storage.withLock { $0.tlsMinimumSupportedProtocolVersion } }
        set { storage.withLock { $0.tlsMinimumSupportedProtocolVersion = newValue } }
    }

    /// The maximum TLS version.
    open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { storage.withLock { $0.tlsMaximumSupportedProtocolVersion } }
        set { storage.withLock { $0.tlsMaximumSupportedProtocolVersion = newValue } }
    }

    /// Whether requests carry cookies and responses may set them.
    open var httpShouldSetCookies: Bool {
        get { storage.withLock { $0.httpShouldSetCookies } }
        set { storage.withLock { $0.httpShouldSetCookies = newValue } }
    }

    /// The policy for accepting cookies.
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { storage.withLock { $0.httpCookieAcceptPolicy } }
        set { storage.withLock { $0.httpCookieAcceptPolicy = newValue } }
    }

    /// The cookie storage; with nil, no cookies are stored.
    open var httpCookieStorage: HTTPCookieStorage? {
        get { storage.withLock { $0.httpCookieStorage } }
        set { storage.withLock { $0.httpCookieStorage = newValue } }
    }

    /// The credential storage; with nil, no credentials are stored.
    open var urlCredentialStorage: URLCredentialStorage? {
        get { storage.withLock { $0.urlCredentialStorage } }
        set { storage.withLock { $0.urlCredentialStorage = newValue } }
    }

    /// The response cache of data tasks; with nil, there is no cache. Background sessions never have one.
    open var urlCache: URLCache? {
        get { storage.withLock { $0.urlCache } }
        set { storage.withLock { $0.urlCache = newValue } }
    }

    /// Maximum number of HTTP/1.1 connections per host.
    open var httpMaximumConnectionsPerHost: Int {
        get { storage.withLock { $0.httpMaximumConnectionsPerHost } }
        set { storage.withLock { $0.httpMaximumConnectionsPerHost = newValue } }
    }

    /// `URLProtocol` classes that are asked first, in order. Background sessions ignore them.
    open var protocolClasses: [AnyClass]? {
        get { storage.withLock { $0.protocolClasses } }
        set { storage.withLock { $0.protocolClasses = newValue } }
    }

    /// Kept for compatibility; no effect.
    open var sharedContainerIdentifier: String? {
        get { storage.withLock { $0.ineffective.sharedContainerIdentifier } }
        set { storage.withLock { $0.ineffective.sharedContainerIdentifier = newValue } }
    }

    /// Kept for compatibility; no effect.
    open var httpShouldUsePipelining: Bool {
        get { storage.withLock { $0.ineffective.httpShouldUsePipelining } }
        set { storage.withLock { $0.ineffective.httpShouldUsePipelining = newValue } }
    }

    /// Kept for compatibility; no effect.
    open var shouldUseExtendedBackgroundIdleMode: Bool {
        get { storage.withLock { $0.ineffective.shouldUseExtendedBackgroundIdleMode } }
        set { storage.withLock { $0.ineffective.shouldUseExtendedBackgroundIdleMode = newValue } }
    }

    /// The Multipath TCP policy on Apple's systems.
    public enum MultipathServiceType: Int, Sendable { case none, handover, interactive, aggregate }

    /// Kept for compatibility; no effect. A connection uses one network.
    open var multipathServiceType: MultipathServiceType {
        get { storage.withLock { $0.ineffective.multipathServiceType } }
        set { storage.withLock { $0.ineffective.multipathServiceType = newValue } }
    }
}
