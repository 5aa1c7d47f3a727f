// Ferry: FerryAPI
// GET /v1/status

package import FerryCore

/// Says how the daemon is.
package enum GetStatus: Endpoint {
    package typealias Response = ServiceStatus
    package static let route = Route(.get, "/status", "How the daemon is and what it has to do.")
}
