public import Foundation
public import FoundationNetworking
import Synchronization

/// Credentials that sessions use without asking, in memory.
///
/// A credential is found by the fields of a protection space, not by the object: Foundation's `URLProtectionSpace` on Linux is
/// equal to itself alone. Every method may be called from any thread. Behaves as Apple's `URLCredentialStorage`, without a
/// keychain.
open class URLCredentialStorage: NSObject, @unchecked Sendable {  // SAFETY: all state in a Mutex
    private struct Known {
        var space: URLProtectionSpace
        var byUser: [String: URLCredential] = [:]
        var usual: URLCredential?
    }

    private let known = Mutex<[SpaceKey: Known]>([:])

    private static let sharedStorage = URLCredentialStorage()

    /// The storage of `URLSession.shared` and of sessions whose configuration is `.default`.
    open class var shared: URLCredentialStorage { sharedStorage }

    /// All credentials, by the space that they were set for and by user. A key is found by its fields in
    /// ``credentials(for:)``, not here.
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
        let all = known.withLock { $0.values.filter { !$0.byUser.isEmpty }.map { ($0.space, $0.byUser) } }
        return Dictionary(all) { first, _ in first }
    }

    /// Returns the credentials of a space by user; nil if there are none.
    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        known.withLock { $0[SpaceKey(space)]?.byUser }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Adds a credential for its user, in the place of an earlier one. One without persistence, or to be synchronized, is not
    /// stored.
    open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        set(credential, for: space, isDefault: false)
    }

    /// Returns the credential that answers challenges of a space; nil if none was set for it.
    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        known.withLock { $0[SpaceKey(space)]?.usual }
    }

    /// Sets the credential that answers challenges of a space, and adds it to the others.
    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        set(credential, for: space, isDefault: true)
    }

    /// Removes a credential.
    open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        remove(credential, for: space, options: nil)
    }

    /// Removes a credential. No credential here is synchronized, so that the options change nothing.
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
        // Foundation's name of it, which is visible already wherever its module is loaded.
        NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    }
}

/// The same for a task, which a subclass may tell apart.
extension URLCredentialStorage {
    /// Calls a handler, before it returns, with the credentials of a space by user; with nil if there are none.
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

    /// Calls a handler, before it returns, with the credential that answers challenges of a space; with nil if there is none.
    public func getDefaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLCredential?) -> Void
    ) { completionHandler(defaultCredential(for: space)) }

    public func setDefaultCredential(
        _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) { setDefaultCredential(credential, for: protectionSpace) }
}

/// The fields of a protection space.
struct SpaceKey: Hashable {
    private let host: String
    private let port: Int
    /// Of a server its protocol, of a proxy its type.
    private let kind: String
    private let isProxy: Bool
    private let realm: String?
    private let method: String

    init(_ space: URLProtectionSpace) {
        host = space.host.lowercased()
        port = space.port
        isProxy = space.isProxy()
        realm = space.realm
        // On Apple's systems the constants are the names themselves, and both are given by apps.
        let name = (isProxy ? space.proxyType : space.protocol) ?? ""
        let constants = [NSURLProtectionSpaceHTTP: "http", NSURLProtectionSpaceHTTPS: "https"]
        kind = constants[name] ?? name.lowercased()
        // For HTTP the default method is Basic.
        let isDefault = space.authenticationMethod == NSURLAuthenticationMethodDefault
        method =
            isDefault && kind.hasPrefix("http") ? NSURLAuthenticationMethodHTTPBasic : space.authenticationMethod
    }
}
