import Foundation
import FoundationNetworking

/// What kind of session a configuration makes.
enum SessionKind: Sendable { case foreground, ephemeral, background }

/// What a configuration says; guarded by its lock, and never changed once a session has copied it.
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

/// Makes storages that are not shared with the rest of the process.
enum PrivateStores {
    /// A cookie storage without a file; Foundation's own ephemeral configuration is the only maker of such storages.
    static func cookies() -> HTTPCookieStorage? {
        FoundationNetworking.URLSessionConfiguration.ephemeral.httpCookieStorage
    }
}

/// What a configuration keeps for code that sets it; nothing on Linux follows from it.
struct IneffectiveSettings: Hashable, Sendable {
    var sharedContainerIdentifier: String?
    var httpShouldUsePipelining = false
    var shouldUseExtendedBackgroundIdleMode = false
    var multipathServiceType = URLSessionConfiguration.MultipathServiceType.none
}
