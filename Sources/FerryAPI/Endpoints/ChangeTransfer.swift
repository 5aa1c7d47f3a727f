// Ferry: FerryAPI
// PATCH /v1/transfers/{id}

package import FerryCore

/// Changes one transfer, whether it waits or runs.
package enum ChangeTransfer: Endpoint {
    package typealias Request = TransferChange
    package typealias Response = Transfer
    package static let route = Route(
        .patch, "/transfers/{id}", "Changes one transfer, whether it waits or runs.")
}
