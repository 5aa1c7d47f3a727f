// Ferry: FerryAPI
// GET /v1/transfers

package import FerryCore

/// Lists transfers, a page at a time. The query is that of `TransferQuery`.
package enum ListTransfers: Endpoint {
    package typealias Response = TransferPage
    package static let route = Route(.get, "/transfers", needs: .read, "Lists transfers, a page at a time.")
}
