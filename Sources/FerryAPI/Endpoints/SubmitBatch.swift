// Ferry: FerryAPI
// POST /v1/submissions

package import FerryCore

/// Adds many transfers of one session that differ in little, in one transaction.
package enum SubmitBatch: Endpoint {
    package typealias Request = TransferBatch
    package typealias Response = TransferBatch.Report
    package static let route = Route(
        .post, "/submissions", "Adds many transfers that differ in little, in one transaction.")
}
