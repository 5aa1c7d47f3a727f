// Ferry: FerryAPI
// POST /v1/sessions/{id}/acknowledge

/// Lets durable events of a session go.
package enum AcknowledgeEvents: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .post, "/sessions/{id}/acknowledge", "Lets a session's durable events up to a number go.")

    package struct Request: Hashable, Codable, Sendable {
        /// The last number that the client has dealt with.
        package var through: Int64

        package init(through: Int64) { self.through = through }
    }
}

extension AcknowledgeEvents.Request: StrictBody {
    package static let keys: Set = ["through"]
}
