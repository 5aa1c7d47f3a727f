// Ferry: FerryStore
// Records that have much in common.

import FerryCore

/// What was read last of transfers that were handed over together; kept by whoever reads many of them.
///
/// Their requests mostly differ in their URLs alone, and they began at one moment.
package struct AlikeRecords: Sendable {
    private var latest = RepeatedJSON<TransferRequest>()
    private var active = RepeatedJSON<ActiveTime>()

    package init() {}

    /// - Parameters:
    ///   - text: the request without its URL.
    mutating func request(_ text: String?, url: String?) -> TransferRequest? {
        guard let url, var request = latest.value(text) else { return nil }
        request.url = url
        return request
    }

    mutating func active(_ text: String?) -> ActiveTime? { active.value(text) }
}
