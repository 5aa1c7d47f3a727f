public import Foundation
public import FoundationNetworking
import Synchronization

/// How a session behaves. A session copies its configuration when it is made; later changes have no effect on it.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {  // SAFETY: all state in a Mutex
    private let storage: Mutex<ConfigurationStorage>

    private init(_ start: ConfigurationStorage) {
        storage = Mutex(start)
        super.init()
    }

    /// The same as `URLSessionConfiguration.default`.
    @available(*, deprecated, message: "use URLSessionConfiguration.default or another of the class properties")
    public override init() {
        storage = Mutex(.foreground())
        super.init()
    }

    /// Runs in the app; cookies and credentials are the app's.
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration(.foreground()) }

    /// Runs in the app; cookies and credentials live in memory, for the session alone.
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(.ephemeral()) }

    /// Runs in the daemon, whether the app does or not.
    ///
    /// - Parameter identifier: names the session within the app; not empty.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        precondition(!identifier.isEmpty, "The identifier of a background session must not be empty.")
        return URLSessionConfiguration(.background(identifier))
    }

    open func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(storage.withLock { $0 }) }

    var kind: SessionKind { storage.withLock(\.kind) }

    /// The background session's identifier; nil in other configurations.
    open var identifier: String? { storage.withLock(\.identifier) }

    /// How a request looks at caches, unless it says so itself.
    open var requestCachePolicy: URLRequest.CachePolicy {
        get { storage.withLock { $0.requestCachePolicy } }
        set { storage.withLock { $0.requestCachePolicy = newValue } }
    }

    /// Kept, without effect.
    open var networkServiceType: URLRequest.NetworkServiceType {
        get { storage.withLock { $0.networkServiceType } }
        set { storage.withLock { $0.networkServiceType = newValue } }
    }

    /// Seconds without a byte after which a request ends. Background sessions try again instead.
    open var timeoutIntervalForRequest: TimeInterval {
        get { storage.withLock { $0.timeoutIntervalForRequest } }
        set { storage.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds in which a task must end.
    open var timeoutIntervalForResource: TimeInterval {
        get { storage.withLock { $0.timeoutIntervalForResource } }
        set { storage.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    /// Whether mobile networks may be used.
    open var allowsCellularAccess: Bool {
        get { storage.withLock { $0.allowsCellularAccess } }
        set { storage.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether metered networks may be used.
    open var allowsExpensiveNetworkAccess: Bool {
        get { storage.withLock { $0.allowsExpensiveNetworkAccess } }
        set { storage.withLock { $0.allowsExpensiveNetworkAccess = newValue } }
    }

    /// Whether networks may be used that are to be spared.
    open var allowsConstrainedNetworkAccess: Bool {
        get { storage.withLock { $0.allowsConstrainedNetworkAccess } }
        set { storage.withLock { $0.allowsConstrainedNetworkAccess = newValue } }
    }

    /// Whether a task waits for a network instead of failing; background sessions always wait.
    open var waitsForConnectivity: Bool {
        get { storage.withLock { $0.waitsForConnectivity } }
        set { storage.withLock { $0.waitsForConnectivity = newValue } }
    }

    /// Whether tasks run only on external power and on a network that is not metered. Background sessions only.
    open var isDiscretionary: Bool {
        get { storage.withLock { $0.isDiscretionary } }
        set { storage.withLock { $0.isDiscretionary = newValue } }
    }

    /// Whether the app is started when all tasks have ended. Background sessions only.
    open var sessionSendsLaunchEvents: Bool {
        get { storage.withLock { $0.sessionSendsLaunchEvents } }
        set { storage.withLock { $0.sessionSendsLaunchEvents = newValue } }
    }

    /// Proxies, by the keys `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the keys that begin with `HTTPS` and `SOCKS`, and
    /// `ExceptionsList`; nil takes the proxies of the app's environment.
    open var connectionProxyDictionary: [AnyHashable: Any]? {
        get { storage.withLock { $0.connectionProxyDictionary } }
        set { storage.withLock { $0.connectionProxyDictionary = newValue } }
    }

    /// Header fields that are added to requests without them; never fields about connections and credentials.
    open var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { storage.withLock { $0.httpAdditionalHeaders } }
        set { storage.withLock { $0.httpAdditionalHeaders = newValue } }
    }

    /// The oldest version of TLS that is spoken.
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { storage.withLock { $0.tlsMinimumSupportedProtocolVersion } }
        set { storage.withLock { $0.tlsMinimumSupportedProtocolVersion = newValue } }
    }

    /// The newest version of TLS that is spoken.
    open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { storage.withLock { $0.tlsMaximumSupportedProtocolVersion } }
        set { storage.withLock { $0.tlsMaximumSupportedProtocolVersion = newValue } }
    }

    /// Whether requests get cookies and responses set them.
    open var httpShouldSetCookies: Bool {
        get { storage.withLock { $0.httpShouldSetCookies } }
        set { storage.withLock { $0.httpShouldSetCookies = newValue } }
    }

    /// Which cookies are accepted.
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { storage.withLock { $0.httpCookieAcceptPolicy } }
        set { storage.withLock { $0.httpCookieAcceptPolicy = newValue } }
    }

    /// Where cookies are kept; nil keeps none.
    open var httpCookieStorage: HTTPCookieStorage? {
        get { storage.withLock { $0.httpCookieStorage } }
        set { storage.withLock { $0.httpCookieStorage = newValue } }
    }

    /// Where credentials are kept; nil keeps none.
    open var urlCredentialStorage: URLCredentialStorage? {
        get { storage.withLock { $0.urlCredentialStorage } }
        set { storage.withLock { $0.urlCredentialStorage = newValue } }
    }

    /// Where data tasks keep responses, and look for them first; nil keeps none. Background sessions have no cache.
    open var urlCache: URLCache? {
        get { storage.withLock { $0.urlCache } }
        set { storage.withLock { $0.urlCache = newValue } }
    }

    /// HTTP/1.1 connections to one host at most.
    open var httpMaximumConnectionsPerHost: Int {
        get { storage.withLock { $0.httpMaximumConnectionsPerHost } }
        set { storage.withLock { $0.httpMaximumConnectionsPerHost = newValue } }
    }

    /// `URLProtocol` classes that are asked first, in order. Background sessions ignore them.
    open var protocolClasses: [AnyClass]? {
        get { storage.withLock { $0.protocolClasses } }
        set { storage.withLock { $0.protocolClasses = newValue } }
    }

    /// Kept, without effect.
    open var sharedContainerIdentifier: String? {
        get { storage.withLock { $0.ineffective.sharedContainerIdentifier } }
        set { storage.withLock { $0.ineffective.sharedContainerIdentifier = newValue } }
    }

    /// Kept, without effect.
    open var httpShouldUsePipelining: Bool {
        get { storage.withLock { $0.ineffective.httpShouldUsePipelining } }
        set { storage.withLock { $0.ineffective.httpShouldUsePipelining = newValue } }
    }

    /// Kept, without effect.
    open var shouldUseExtendedBackgroundIdleMode: Bool {
        get { storage.withLock { $0.ineffective.shouldUseExtendedBackgroundIdleMode } }
        set { storage.withLock { $0.ineffective.shouldUseExtendedBackgroundIdleMode = newValue } }
    }

    /// How several networks carry one connection on Apple's systems.
    public enum MultipathServiceType: Int, Sendable { case none, handover, interactive, aggregate }

    /// Kept, without effect: a connection uses one network.
    open var multipathServiceType: MultipathServiceType {
        get { storage.withLock { $0.ineffective.multipathServiceType } }
        set { storage.withLock { $0.ineffective.multipathServiceType = newValue } }
    }
}
