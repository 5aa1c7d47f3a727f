import FerryCore
public import Foundation
public import FoundationNetworking
import Synchronization

/// An in-memory storage of credentials that sessions use without asking the delegate.
///
/// Credentials are found by the fields of a protection space: on Linux, Foundation's `URLProtectionSpace` is equal only
/// to itself. Every method may be called from any thread. Behaves as Apple's `URLCredentialStorage`, without a
/// keychain.
open class URLCredentialStorage: NSObject, @unchecked Sendable {  // SAFETY: all state in a Mutex
    private struct Known {
        var space: URLProtectionSpace
        var byUser: [String: URLCredential] = [:]
        var usual: URLCredential?
    }

    private let known = Mutex<[SpaceKey: Known]>([:])

    private static let sharedStorage = URLCredentialStorage()

    /// The storage of `URLSession.shared` and of sessions with a `.default` configuration.
    open class var shared: URLCredentialStorage { sharedStorage }

    /// All credentials, by protection space and user. A space with equal fields finds its credentials in
    /// ``credentials(for:)``, not in this dictionary.
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
        let all = known.withLock { $0.values.filter { !$0.byUser.isEmpty }.map { ($0.space, $0.byUser) } }
        return Dictionary(all) { first, _ in first }
    }

    /// Returns the credentials of a protection space by user; nil if there are none.
    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        known.withLock { $0[SpaceKey(space)]?.byUser }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Adds a credential, replacing an earlier one of the same user. A credential without persistence or with
    /// synchronizable persistence is not stored.
    open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        set(credential, for: space, isDefault: false)
    }

    /// Returns the default credential of a protection space; nil if none is set.
    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        known.withLock { $0[SpaceKey(space)]?.usual }
    }

    /// Sets the default credential of a protection space, and stores it.
    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        set(credential, for: space, isDefault: true)
    }

    /// Removes a credential.
    open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        remove(credential, for: space, options: nil)
    }

    /// Removes a credential. Credentials are never synchronized, so the options have no effect.
    open func remove(_ credential: URLCredential, for space: URLProtectionSpace, options: [String: AnyObject]? = [:]) {
        let hasChanged = known.withLock { known in
            let key = SpaceKey(space)
            guard var found = known[key] else { return false }
            var hasChanged = false
            if let user = credential.user, found.byUser[user] == credential {
                found.byUser[user] = nil
                hasChanged = true
            }
            if found.usual == credential {
                found.usual = nil
                hasChanged = true
            }
            known[key] = found.byUser.isEmpty && found.usual == nil ? nil : found
            return hasChanged
        }
        if hasChanged { postChange() }
    }

    /// Returns the credentials for Basic and Digest challenges of a URL's server, the default credential first.
    func logins(for url: URL) -> [GivenLogin] {
        guard let host = url.host(percentEncoded: true)?.lowercased(), let scheme = url.scheme?.lowercased() else {
            return []
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        let spaces = known.withLock { $0.filter { $0.key.isServer(host, port, scheme) }.map(\.value) }
        let credentials =
            spaces.compactMap(\.usual) + spaces.flatMap { $0.byUser.sorted { $0.key < $1.key }.map(\.value) }
        return credentials.compactMap { credential in
            credential.user.map { GivenLogin(host: host, port: port, user: $0, password: credential.password ?? "") }
        }
    }

    var isEmpty: Bool { known.withLock(\.isEmpty) }

    /// Removes all credentials.
    func removeAll() {
        known.withLock { $0 = [:] }
        postChange()
    }

    private func set(_ credential: URLCredential, for space: URLProtectionSpace, isDefault: Bool) {
        guard credential.persistence == .forSession || credential.persistence == .permanent else { return }
        known.withLock { known in
            var found = known[SpaceKey(space)] ?? Known(space: space)
            if let user = credential.user { found.byUser[user] = credential }
            if isDefault { found.usual = credential }
            known[SpaceKey(space)] = found
        }
        postChange()
    }

    private func postChange() {
        // Foundation's notification name, visible wherever its module is imported.
        NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    }
}

/// The same operations for a task. A subclass may distinguish tasks.
extension URLCredentialStorage {
    /// Calls the handler synchronously with the credentials of a protection space by user; nil if there are none.
    public func getCredentials(
        for protectionSpace: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
    ) { completionHandler(credentials(for: protectionSpace)) }

    public func set(_ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask) {
        set(credential, for: protectionSpace)
    }

    public func remove(
        _ credential: URLCredential, for protectionSpace: URLProtectionSpace, options: [String: AnyObject]? = [:],
        task: URLSessionTask
    ) { remove(credential, for: protectionSpace, options: options) }

    /// Returns the credentials of a protection space by user; nil if there are none.
    public func credentials(
        for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) async -> [String: URLCredential]? { credentials(for: protectionSpace) }

    /// Calls the handler synchronously with the default credential of a protection space; nil if there is none.
    public func getDefaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLCredential?) -> Void
    ) { completionHandler(defaultCredential(for: space)) }

    /// Returns the default credential of a protection space; nil if there is none.
    public func defaultCredential(for space: URLProtectionSpace, task: URLSessionTask) async -> URLCredential? {
        defaultCredential(for: space)
    }

    public func setDefaultCredential(
        _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) { setDefaultCredential(credential, for: protectionSpace) }
}

/// A protection space's fields, as a key.
struct SpaceKey: Hashable {
    private let host: String
    private let port: Int
    /// The protocol of a server or the type of a proxy.
    private let kind: String
    private let isProxy: Bool
    private let realm: String?
    private let method: String

    /// Whether this is the space of a server that asks for a user name and a password.
    func isServer(_ host: String, _ port: Int, _ scheme: String) -> Bool {
        let methods = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest]
        return !isProxy && self.host == host && self.port == port && kind == scheme && methods.contains(method)
    }

    init(_ space: URLProtectionSpace) {
        host = space.host.lowercased()
        port = space.port
        isProxy = space.isProxy()
        realm = space.realm
        // On Apple's systems the constants equal the names, and apps pass both.
        let name = (isProxy ? space.proxyType : space.protocol) ?? ""
        let constants = [NSURLProtectionSpaceHTTP: "http", NSURLProtectionSpaceHTTPS: "https"]
        kind = constants[name] ?? name.lowercased()
        // Basic is the default method of HTTP.
        let isDefault = space.authenticationMethod == NSURLAuthenticationMethodDefault
        method =
            isDefault && kind.hasPrefix("http") ? NSURLAuthenticationMethodHTTPBasic : space.authenticationMethod
    }
}
