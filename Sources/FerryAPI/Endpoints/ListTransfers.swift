// Ferry: FerryAPI
// GET /v1/transfers

package import FerryCore

/// Lists transfers, a page at a time. The query is that of `TransferQuery`, and whether what is as usual is left out.
package enum ListTransfers: Endpoint {
    package typealias Response = TransferPage
    package static let route = Route(.get, "/transfers", "Lists transfers, a page at a time.")

    /// Asks for transfers without the keys whose values are those that an absent key means.
    package static let omitsUsual = QueryItem("omit", "usual")

    /// A page of transfers without what is as usual.
    package struct ShortPage: Encodable, Sendable {
        private let transfers: [Transfer.Short]
        private let next: TransferID?

        package init(_ page: TransferPage) {
            transfers = page.transfers.map(Transfer.Short.init)
            next = page.next
        }
    }

    /// The query, and whether what is as usual is left out.
    ///
    /// - Throws: ``TransferError`` with code `invalid_request` naming the parameter that is unknown or wrong.
    package static func query(_ items: [QueryItem]) throws(TransferError) -> (query: TransferQuery, isShort: Bool) {
        let others = items.filter { $0.name != omitsUsual.name }
        for item in items where item.name == omitsUsual.name && item.value != omitsUsual.value {
            throw item.invalid(omitsUsual.value)
        }
        return (try TransferQuery(items: others), others.count < items.count)
    }
}
