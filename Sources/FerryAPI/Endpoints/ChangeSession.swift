// Ferry: FerryAPI
// PATCH /v1/sessions/{id}

package import FerryCore

/// Sets the limits of one session; makes the session if there is none.
package enum ChangeSession: Endpoint {
    package typealias Request = SessionSettings
    package typealias Response = SessionInfo
    package static let route = Route(.patch, "/sessions/{id}", "Sets the limits of one session.")
}
