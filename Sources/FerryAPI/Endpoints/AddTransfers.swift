// Ferry: FerryAPI
// POST /v1/transfers/batch

package import FerryCore

/// Adds many transfers in one transaction: a request a line, answered by a result a line, in the same order.
package enum AddTransfers: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = SubmissionResult
    package static let route = Route(
        .post, "/transfers/batch", "Adds many transfers in one transaction, a line each.")
}
