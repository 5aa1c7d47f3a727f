import Foundation
import FoundationNetworking

/// The kind of session that a configuration creates.
enum SessionKind: Sendable { case foreground, ephemeral, background }

/// A configuration's values. Guarded by the configuration's lock, and immutable once a session has copied it.
struct ConfigurationStorage: @unchecked Sendable {  // SAFETY: property-list values and Foundation's thread-safe stores
    let kind: SessionKind
    let identifier: String?
    var requestCachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy
    var networkServiceType: URLRequest.NetworkServiceType = .default
    var timeoutIntervalForRequest: TimeInterval = 60
    var timeoutIntervalForResource: TimeInterval = 604_800
    var allowsCellularAccess: Bool = true
    var allowsExpensiveNetworkAccess: Bool = true
    var allowsConstrainedNetworkAccess: Bool = true
    var waitsForConnectivity: Bool = false
    var isDiscretionary: Bool = false
    var sessionSendsLaunchEvents: Bool = true
    var connectionProxyDictionary: [AnyHashable: Any]?
    var httpAdditionalHeaders: [AnyHashable: Any]?
    var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t = .TLSv12
    var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t = .TLSv13
    var httpShouldSetCookies: Bool = true
    var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .onlyFromMainDocumentDomain
    var httpCookieStorage: HTTPCookieStorage?
    var urlCredentialStorage: URLCredentialStorage?
    var urlCache: URLCache?
    var httpMaximumConnectionsPerHost: Int = 6
    var protocolClasses: [AnyClass]? = []
    var ineffective = IneffectiveSettings()

    static func foreground() -> ConfigurationStorage {
        var storage = ConfigurationStorage(kind: .foreground, identifier: nil)
        storage.httpCookieStorage = .shared
        storage.urlCredentialStorage = .shared
        storage.urlCache = .shared
        storage.protocolClasses = URLProtocol.registered
        return storage
    }

    static func ephemeral() -> ConfigurationStorage {
        var storage = ConfigurationStorage(kind: .ephemeral, identifier: nil)
        storage.httpCookieStorage = PrivateStores.cookies()
        storage.urlCredentialStorage = URLCredentialStorage()
        storage.urlCache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0)
        return storage
    }

    static func background(_ identifier: String) -> ConfigurationStorage {
        var storage = ConfigurationStorage(kind: .background, identifier: identifier)
        storage.httpCookieStorage = .shared
        storage.urlCredentialStorage = .shared
        return storage
    }

    private init(kind: SessionKind, identifier: String?) {
        self.kind = kind
        self.identifier = identifier
    }
}

/// Creates storages that are not shared with the rest of the process.
enum PrivateStores {
    /// Returns a cookie storage without a file. Only Foundation's own ephemeral configuration creates such storages.
    static func cookies() -> HTTPCookieStorage? {
        FoundationNetworking.URLSessionConfiguration.ephemeral.httpCookieStorage
    }
}

/// Settings that a configuration keeps for compatibility. They have no effect on Linux.
struct IneffectiveSettings: Hashable, Sendable {
    var sharedContainerIdentifier: String?
    var httpShouldUsePipelining = false
    var shouldUseExtendedBackgroundIdleMode = false
    var multipathServiceType = URLSessionConfiguration.MultipathServiceType.none
}
