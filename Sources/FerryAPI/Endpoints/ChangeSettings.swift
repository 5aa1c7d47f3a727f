// Ferry: FerryAPI
// PATCH /v1/settings

package import FerryCore

/// Changes the daemon's settings while it runs.
package enum ChangeSettings: Endpoint {
    package typealias Request = ServiceSettingsChange
    package typealias Response = ServiceSettings
    package static let route = Route(
        .patch, "/settings", "Changes the daemon's settings while it runs.")
}
