// Ferry: FerryAPI
// DELETE /v1/transfers/{id}

package import FerryCore

/// Forgets one transfer; cancels it first if it has not ended.
package enum DeleteTransfer: Endpoint {
    package typealias Response = ActionResult
    package static let route = Route(
        .delete, "/transfers/{id}", "Forgets one transfer; cancels it first if it has not ended.")

    /// The query that says whether the fetched file goes too.
    package static func query(deletesFile: Bool) -> [QueryItem] {
        deletesFile ? [QueryItem("delete_file", "true")] : []
    }

    /// - Throws: ``TransferError`` with code `invalid_request` for a query that means nothing here.
    package static func deletesFile(_ query: [QueryItem]) throws(TransferError) -> Bool {
        var result = false
        for item in query {
            guard item.name == "delete_file" else { throw item.unknown(among: ["delete_file"]) }
            result = try item.bool()
        }
        return result
    }
}
