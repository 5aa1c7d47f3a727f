// Ferry: FerryAPI
// GET /v1/version

/// Says which daemon this is and what it speaks.
package enum GetVersion: Endpoint {
    package static let route = Route(.get, "/version", "The daemon's version and that of this API.")

    package struct Response: Hashable, Codable, Sendable {
        /// Version of the daemon.
        package var version: String
        /// Version of the control API.
        package var api: Int
        /// Number of a durable event: the latest that its listeners were told of.
        package var lastEvent: Int64?

        package init(version: String, api: Int, lastEvent: Int64? = nil) {
            self.version = version
            self.api = api
            self.lastEvent = lastEvent
        }

        private enum CodingKeys: String, CodingKey {
            case version, api
            case lastEvent = "last_event"
        }
    }
}
