package import FerryCore

/// Adds many transfers in one transaction: a request a line, answered by a result a line, in the same order.
package enum AddTransfers: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = SubmissionResult
    package static let route = Route(
        .post, "/transfers/batch", "Adds many transfers in one transaction, a line each.")
}

/// Adds many transfers of one session that differ in little, in one transaction.
package enum SubmitBatch: Endpoint {
    package typealias Request = TransferBatch
    package typealias Response = TransferBatch.Report
    package static let route = Route(
        .post, "/submissions", "Adds many transfers that differ in little, in one transaction.")
}

/// Adds a transfer for each URL of a list, in one transaction: a line with a request, then a line for each URL.
package enum SubmitList: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = TransferBatch.Report
    package static let route = Route(
        .post, "/lists", "Adds a transfer for each URL of a list, in one transaction.")
}
