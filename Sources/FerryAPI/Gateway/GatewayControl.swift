package import FerryCore
package import FerryFoundation

/// The user's hold on the gateway: in the daemon, or over its socket.
package protocol GatewayControl: Sendable {
    func status() async throws(ServiceError) -> GatewayStatus

    /// Returns once the change is durable and the gateway follows it.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` naming what cannot be; then nothing has changed.
    func change(_ change: GatewayChange) async throws(ServiceError) -> GatewayStatus

    /// The secret that clients show.
    ///
    /// - Parameter isNew: whether another one takes its place; who has the old one is let in no more.
    func secret(isNew: Bool) async throws(ServiceError) -> String

    /// A code with which one client gets a token of its own; a code that was given before is good no more.
    func pair() async throws(ServiceError) -> PairingOffer

    /// The paired clients, in the order of their pairing.
    func clients() async throws(ServiceError) -> [GatewayClient]

    /// Forgets a paired client: its token is good no more.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if there is none of this id.
    func removeClient(_ id: String) async throws(ServiceError)
}

/// How the gateway is.
package struct GatewayStatus: Hashable, Codable, Sendable {
    package var settings: GatewaySettings
    /// URLs at which it answers.
    package var listening: [String]
    /// A sentence for each address at which it cannot answer.
    package var problems: [String]

    package init(settings: GatewaySettings, listening: [String] = [], problems: [String] = []) {
        self.settings = settings
        self.listening = listening
        self.problems = problems
    }
}

/// The settings of the gateway; kept when the daemon ends.
package struct GatewaySettings: Hashable, Codable, Sendable {
    package var isOn = false
    package var port = Self.usualPort
    /// Numeric addresses that it listens on.
    package var addresses = Self.loopback
    /// Names besides `localhost` and the addresses that `Host` may have, without a port.
    package var names: [String] = []
    /// Origins of web pages and extensions that may use it; `*` stands for all.
    package var origins: [String] = []
    /// Absolute paths of the folders that files may go to; the first is the usual one.
    package var folders: [String]
    /// Whether clients of aria2 see the transfers of all sessions.
    package var showsAll = false
    /// Absolute paths of PEM files: the certificate with those between it and its authority, and its private key.
    package var certificate: String?
    package var key: String?

    package static let usualPort = 6800
    package static let loopback = ["127.0.0.1", "::1"]

    package init(folders: [String]) { self.folders = folders }

    /// Whether others than this machine's own programs can reach it.
    package var isOpenToOthers: Bool {
        addresses.contains { !$0.hasPrefix("127.") && $0 != "::1" }
    }

    /// A key that is absent, as in what an earlier version has written, has its usual value.
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

/// A change of the gateway's settings; absent keys stay as they are.
package struct GatewayChange: Hashable, Codable, Sendable {
    package var isOn: Bool?
    package var port: Int?
    package var addresses: [String]?
    package var showsAll: Bool?
    /// An empty path takes certificate and key away.
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

/// A code that makes one client known.
package struct PairingOffer: Hashable, Codable, Sendable {
    /// Eight characters that are hard to mistake for each other.
    package var code: String
    /// Seconds for which it is good.
    package var seconds: Double

    package init(code: String, seconds: Double) {
        self.code = code
        self.seconds = seconds
    }
}

/// A client that was paired: it has a token of its own, which is not kept.
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
