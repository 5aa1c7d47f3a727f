package import FerryCore

/// Returns the versions of the daemon and its API.
package enum GetVersion: Endpoint {
    package static let route = Route(.get, "/version", "The daemon's version and that of this API.")

    package struct Response: Hashable, Codable, Sendable {
        /// Version of the daemon.
        package var version: String
        /// Version of the control API.
        package var api: Int
        /// The number of the latest durable event delivered to subscribers.
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

/// Returns the daemon's status.
package enum GetStatus: Endpoint {
    package typealias Response = ServiceStatus
    package static let route = Route(.get, "/status", "Shows the daemon's state and its transfers.")
}

/// Returns the daemon's settings.
package enum GetSettings: Endpoint {
    package typealias Response = ServiceSettings
    package static let route = Route(.get, "/settings", "Shows the daemon's settings.")
}

/// Changes the daemon's settings while it runs.
package enum ChangeSettings: Endpoint {
    package typealias Request = ServiceSettingsChange
    package typealias Response = ServiceSettings
    package static let route = Route(
        .patch, "/settings", "Changes the daemon's settings while it runs.")
}

/// Delays the next transfers from an origin.
package enum HoldOrigin: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .post, "/origins/hold", "Starts no transfer from an origin for some seconds. Running transfers continue.")

    package struct Request: Hashable, Codable, Sendable, StrictBody {
        /// A URL of the origin. Its path does not matter.
        package var origin: String
        /// 0 to 3600.
        package var seconds: Double

        package static let keys: Set = ["origin", "seconds"]

        package init(origin: String, seconds: Double) {
            self.origin = origin
            self.seconds = seconds
        }
    }
}

/// Stops the daemon. Transfers checkpoint first and resume when it next starts.
package enum StopDaemon: Endpoint {
    package static let route = Route(
        .post, "/stop", "Stops the daemon. Transfers continue at its next start.")

    package struct Response: Hashable, Codable, Sendable {
        /// Process ID of the daemon that is shutting down.
        package var pid: Int32

        package init(pid: Int32) { self.pid = pid }
    }
}
