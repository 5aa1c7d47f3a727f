// Ferry: FerryStore
// Requests that differ in their URLs alone.

import FerryCore

/// What was read last of requests that mostly differ in their URLs alone; kept by whoever reads many of them.
package struct AlikeRequests: Sendable {
    private var latest = RepeatedJSON<TransferRequest>()

    package init() {}

    /// - Parameters:
    ///   - text: the request without its URL.
    mutating func request(_ text: String?, url: String?) -> TransferRequest? {
        guard let url, var request = latest.value(text) else { return nil }
        request.url = url
        return request
    }
}
