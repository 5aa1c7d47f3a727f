// Ferry: FerryAPI
// POST /v1/applications/{id}/connect

package import FerryCore

/// Connects an app's run loop for as long as it reads the answer, a signal a line. The query is that
/// of `ApplicationConnection`.
package enum ConnectApplication: Endpoint {
    package typealias Response = ApplicationSignal
    package static let route = Route(
        .post, "/applications/{id}/connect",
        "Connects an app's run loop while it reads the answer, a signal a line.")
}
