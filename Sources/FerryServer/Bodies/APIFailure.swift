// Ferry: FerryServer
// An error whose status is not that of its code's row.

import FerryCore
import HTTPTypes

/// An error whose HTTP status says more than its code: a path, method, size or content type that is not served.
struct APIFailure: Error {
    let status: HTTPResponse.Status
    let error: TransferError
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ message: String, headers: HTTPFields = [:]) {
        self.init(status, TransferError(.invalidRequest, message), headers: headers)
    }

    init(_ status: HTTPResponse.Status, _ error: TransferError, headers: HTTPFields = [:]) {
        self.status = status
        self.error = error
        self.headers = headers
    }
}
