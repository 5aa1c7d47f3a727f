// Ferry: FerryAPI
// PATCH /v1/applications/{id}

package import FerryCore

/// Stores how an app is started for its events.
package enum ChangeApplication: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .patch, "/applications/{id}", "Stores how an app is started for its events.")

    package struct Request: Hashable, Codable, Sendable {
        /// Nil: it is not started.
        package var launch: LaunchCommand?

        package init(launch: LaunchCommand?) { self.launch = launch }
    }
}

extension ChangeApplication.Request: StrictBody {
    package static let keys: Set = ["launch"]
}
