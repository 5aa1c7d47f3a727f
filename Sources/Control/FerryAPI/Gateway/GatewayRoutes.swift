import FerryCore

/// Returns the gateway's settings, its listeners, and their errors.
package enum GetGateway: Endpoint {
    package typealias Response = GatewayStatus
    package static let route = Route(.get, "/gateway", "Shows the gateway and its settings.")
}

/// Changes the gateway's settings, and turns it on or off.
package enum ChangeGateway: Endpoint {
    package typealias Request = GatewayChange
    package typealias Response = GatewayStatus
    package static let route = Route(.patch, "/gateway", "Changes the gateway's settings, and turns it on or off.")
}

/// Returns the gateway's secret, or replaces it.
package enum GatewaySecret: Endpoint {
    package static let route = Route(.post, "/gateway/secret", "Shows the gateway's secret, or creates a new one.")

    package struct Request: Hashable, Codable, Sendable {
        /// Whether to replace the secret.
        package var isNew: Bool

        package init(isNew: Bool) { self.isNew = isNew }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case isNew = "new" }
    }

    package struct Response: Hashable, Codable, Sendable {
        package var secret: String

        package init(secret: String) { self.secret = secret }
    }
}

/// Creates a code that gives one client its own token.
package enum OfferPairing: Endpoint {
    package typealias Response = OneTimeCode
    package static let route = Route(
        .post, "/gateway/pairing", "Creates a code that gives one client its own token.")
}

/// Creates a code that opens the page once.
package enum OfferPageCode: Endpoint {
    package typealias Response = OneTimeCode
    package static let route = Route(
        .post, "/gateway/page", "Creates a code that opens the gateway's page once, in a browser of this machine.")
}

/// Lists the paired clients.
package enum ListGatewayClients: Endpoint {
    package typealias Response = [GatewayClient]
    package static let route = Route(.get, "/gateway/clients", "Lists the paired clients.")
}

/// Removes a paired client.
package enum DeleteGatewayClient: Endpoint {
    package static let route = Route(
        .delete, "/gateway/clients/{id}", "Removes a paired client and invalidates its token.")

    package struct Response: Hashable, Codable, Sendable {
        package var id: String

        package init(id: String) { self.id = id }
    }
}

/// Exchanges a pairing code for the client's own token. Served by the gateway only.
package enum PairClient: Endpoint {
    package static let route = Route(.post, "/pair", "Gives a client with a pairing code its own token.")

    package struct Request: Hashable, Codable, Sendable {
        package var code: String
        /// The client's own name, 1 to 64 characters.
        package var name: String

        package init(code: String, name: String) {
            self.code = code
            self.name = name
        }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case code, name }
    }

    package struct Response: Hashable, Codable, Sendable {
        package var id: String
        /// Used in place of the secret. Returned only once.
        package var token: String

        package init(id: String, token: String) {
            self.id = id
            self.token = token
        }
    }
}

/// Exchanges the code of the page's address for the secret, for programs of this machine. Served by the gateway only.
package enum OpenPage: Endpoint {
    package static let route = Route(.post, "/page", "Gives the page with a code the secret.")

    package struct Request: Hashable, Codable, Sendable {
        package var code: String

        package init(code: String) { self.code = code }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case code }
    }

    package struct Response: Hashable, Codable, Sendable {
        package var secret: String

        package init(secret: String) { self.secret = secret }
    }
}

/// Lists the allowed download folders, the default first. Served by the gateway only.
package enum ListFolders: Endpoint {
    package typealias Response = [FolderRoom]
    package static let route = Route(.get, "/folders", "Lists the folders that clients may put files into.")
}

/// A download folder and the free space on its disk.
package struct FolderRoom: Hashable, Codable, Sendable {
    package var path: String
    /// Bytes available to the user, or `nil` if unknown.
    package var free: Int64?

    package init(path: String, free: Int64?) {
        self.path = path
        self.free = free
    }
}

extension GatewayChange: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension GatewaySecret.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension PairClient.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension OpenPage.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
