// Ferry: FerryAPI
// GET /v1/sessions

package import FerryCore

/// Lists the sessions.
package enum ListSessions: Endpoint {
    package typealias Response = [SessionInfo]
    package static let route = Route(.get, "/sessions", "Lists the sessions and their limits.")
}
