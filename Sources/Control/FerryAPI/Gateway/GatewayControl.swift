package import FerryCore
package import FerryFoundation

/// Control of the gateway, within the daemon or over its socket.
package protocol GatewayControl: Sendable {
    func status() async throws(ServiceError) -> GatewayStatus

    /// Changes the settings. Returns once the change is durable and in effect.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` naming the invalid setting. Nothing has changed in that
    ///   case.
    func change(_ change: GatewayChange) async throws(ServiceError) -> GatewayStatus

    /// Returns the secret required of clients.
    ///
    /// - Parameter isNew: Whether to replace the secret. Clients with the old one are no longer admitted.
    func secret(isNew: Bool) async throws(ServiceError) -> String

    /// Creates a code that gives one client its own token. Invalidates the previous code.
    func pair() async throws(ServiceError) -> OneTimeCode

    /// Creates a code that opens the page once, in a browser of this machine. Invalidates the previous code.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` while the gateway is off.
    func pageCode() async throws(ServiceError) -> OneTimeCode

    /// Returns the paired clients, in the order of pairing.
    func clients() async throws(ServiceError) -> [GatewayClient]

    /// Removes a paired client and invalidates its token.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if there is no client with this id.
    func removeClient(_ id: String) async throws(ServiceError)
}

/// The gateway's settings and listeners.
package struct GatewayStatus: Hashable, Codable, Sendable {
    package var settings: GatewaySettings
    /// URLs on which it listens.
    package var listening: [String]
    /// A message for each address on which it cannot listen.
    package var problems: [String]

    package init(settings: GatewaySettings, listening: [String] = [], problems: [String] = []) {
        self.settings = settings
        self.listening = listening
        self.problems = problems
    }
}

/// The settings of the gateway. They persist across restarts of the daemon.
package struct GatewaySettings: Hashable, Codable, Sendable {
    package var isOn = false
    package var port = Self.usualPort
    /// Numeric addresses to listen on.
    package var addresses = Self.loopback
    /// Host names accepted in `Host` besides `localhost` and the addresses, without a port.
    package var names: [String] = []
    /// Origins of web pages and extensions that may use the gateway. `*` allows all.
    package var origins: [String] = []
    /// Absolute paths of the allowed download folders. The first is the default.
    package var folders: [String]
    /// Whether aria2 clients see the transfers of all sessions.
    package var showsAll = false
    /// Absolute path of the PEM file with the certificate and its intermediates. `key` is that of the private key.
    package var certificate: String?
    package var key: String?

    package static let usualPort = 6800
    package static let loopback = ["127.0.0.1", "::1"]

    package init(folders: [String]) { self.folders = folders }

    /// Whether the gateway listens on an address that is reachable from other machines.
    package var isOpenToOthers: Bool {
        addresses.contains { !$0.hasPrefix("127.") && $0 != "::1" }
    }

    /// Decodes the settings. Missing keys, as in settings of earlier versions, have their defaults.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        folders = try box.decode([String].self, forKey: .folders)
        isOn = try box.decodeIfPresent(Bool.self, forKey: .isOn) ?? false
        port = try box.decodeIfPresent(Int.self, forKey: .port) ?? Self.usualPort
        addresses = try box.decodeIfPresent([String].self, forKey: .addresses) ?? Self.loopback
        names = try box.decodeIfPresent([String].self, forKey: .names) ?? []
        origins = try box.decodeIfPresent([String].self, forKey: .origins) ?? []
        showsAll = try box.decodeIfPresent(Bool.self, forKey: .showsAll) ?? false
        certificate = try box.decodeIfPresent(String.self, forKey: .certificate)
        key = try box.decodeIfPresent(String.self, forKey: .key)
    }

    private enum CodingKeys: String, CodingKey {
        case port, addresses, names, origins, folders, certificate, key
        case isOn = "on"
        case showsAll = "shows_all"
    }
}

/// A change of the gateway's settings. Settings of missing keys are unchanged.
package struct GatewayChange: Hashable, Codable, Sendable {
    package var isOn: Bool?
    package var port: Int?
    package var addresses: [String]?
    package var showsAll: Bool?
    /// Path of the certificate. An empty path removes certificate and key.
    package var certificate: String?
    package var key: String?
    package var addedNames: [String]?
    package var removedNames: [String]?
    package var addedOrigins: [String]?
    package var removedOrigins: [String]?
    package var addedFolders: [String]?
    package var removedFolders: [String]?

    package init() {}

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case port, addresses, certificate, key
        case isOn = "on"
        case showsAll = "shows_all"
        case addedNames = "add_names"
        case removedNames = "remove_names"
        case addedOrigins = "add_origins"
        case removedOrigins = "remove_origins"
        case addedFolders = "add_folders"
        case removedFolders = "remove_folders"
    }
}

/// A code that works once: to pair a client, or to open the page.
package struct OneTimeCode: Hashable, Codable, Sendable {
    /// Eight characters that are hard to confuse with each other.
    package var code: String
    /// Seconds until the code expires.
    package var seconds: Double

    package init(code: String, seconds: Double) {
        self.code = code
        self.seconds = seconds
    }
}

/// A paired client. It has its own token, which the daemon does not keep.
package struct GatewayClient: Hashable, Codable, Sendable {
    package var id: String
    /// The name that it gave when it was paired.
    package var name: String
    package var pairedAt: Date

    package init(id: String, name: String, pairedAt: Date) {
        self.id = id
        self.name = name
        self.pairedAt = pairedAt
    }

    private enum CodingKeys: String, CodingKey {
        case id, name
        case pairedAt = "paired_at"
    }
}
