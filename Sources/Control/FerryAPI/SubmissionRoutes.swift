package import FerryCore

/// Adds many transfers in one transaction. Each line is a request; the response has a result per line, in the same
/// order.
package enum AddTransfers: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = SubmissionResult
    package static let route = Route(
        .post, "/transfers/batch", "Adds many transfers in one transaction, one per line.")
}

/// Adds many similar transfers of one session in one transaction.
package enum SubmitBatch: Endpoint {
    package typealias Request = TransferBatch
    package typealias Response = TransferBatch.Report
    package static let route = Route(
        .post, "/submissions", "Adds many similar transfers in one transaction.")
}

/// Adds a transfer for each URL of a list, in one transaction. The first line is a request; each further line is a URL.
package enum SubmitList: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = TransferBatch.Report
    package static let route = Route(
        .post, "/lists", "Adds a transfer for each URL of a list, in one transaction.")
}
