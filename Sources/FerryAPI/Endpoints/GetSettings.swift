// Ferry: FerryAPI
// GET /v1/settings

package import FerryCore

/// Shows the daemon's settings.
package enum GetSettings: Endpoint {
    package typealias Response = ServiceSettings
    package static let route = Route(.get, "/settings", "Shows the daemon's settings.")
}
