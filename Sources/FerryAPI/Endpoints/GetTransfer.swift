// Ferry: FerryAPI
// GET /v1/transfers/{id}

package import FerryCore

/// Shows one transfer.
package enum GetTransfer: Endpoint {
    package typealias Response = Transfer
    package static let route = Route(.get, "/transfers/{id}", "Shows one transfer.")
}
