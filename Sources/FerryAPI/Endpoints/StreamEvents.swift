// Ferry: FerryAPI
// GET /v1/events

package import FerryCore

/// Sends events as they happen, a line each. The query is that of `EventSubscription`.
package enum StreamEvents: Endpoint {
    package typealias Response = TransferEvent
    package static let route = Route(.get, "/events", "Sends events as they happen, a line each.")
}
