// Ferry: FerryAPI
// POST /v1/applications/{id}/activate

/// Says that a process that was launched for its events has become active.
package enum ActivateApplication: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .post, "/applications/{id}/activate",
        "Says that a process that was launched for events has become active.")

    package struct Request: Hashable, Codable, Sendable {
        package var process: Int32

        package init(process: Int32) { self.process = process }
    }
}

extension ActivateApplication.Request: StrictBody {
    package static let keys: Set = ["process"]
}
