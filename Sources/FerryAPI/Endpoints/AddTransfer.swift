// Ferry: FerryAPI
// POST /v1/transfers

package import FerryCore

/// Adds one transfer; answered once it is durable.
package enum AddTransfer: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = Transfer
    package static let route = Route(.post, "/transfers", "Adds one transfer.")
}
