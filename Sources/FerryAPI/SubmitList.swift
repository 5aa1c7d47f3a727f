// Ferry: FerryAPI
// POST /v1/lists

package import FerryCore

/// Adds a transfer for each URL of a list, in one transaction: a line with a request, then a line for each URL.
package enum SubmitList: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = TransferBatch.Report
    package static let route = Route(
        .post, "/lists", "Adds a transfer for each URL of a list, in one transaction.")
}
