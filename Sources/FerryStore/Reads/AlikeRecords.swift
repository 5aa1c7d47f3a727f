import FerryCore
import Synchronization

/// What was read last of transfers that were handed over together.
///
/// Their requests mostly differ in their URLs alone.
struct AlikeRecords: Sendable {
    private var latest = RepeatedJSON<TransferRequest>()

    /// - Parameters:
    ///   - text: the request without its URL.
    mutating func request(_ text: String?, url: String?) -> TransferRequest? {
        guard let url, var request = latest.value(text) else { return nil }
        request.url = url
        return request
    }
}

/// Keeps what was read last from one reading to the next; readings at the same time remember the one that ends last.
final class AlikeMemory: Sendable {
    private let records = Mutex(AlikeRecords())

    var latest: AlikeRecords {
        get { records.withLock { $0 } }
        set { records.withLock { $0 = newValue } }
    }
}
