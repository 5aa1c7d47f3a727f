// Ferry: FerryURLSession
// What a task has cost.

import FerryCore
public import Foundation

/// The times and byte counts of one task; read-only.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {  // SAFETY: immutable after init
    public enum ResourceFetchType: Int, Sendable { case unknown, networkLoad, serverPush, localCache }
    public enum DomainResolutionProtocol: Int, Sendable { case unknown, udp, tcp, tls, https }

    private let transactions: [URLSessionTaskTransactionMetrics]
    private let interval: DateInterval

    /// - Parameter interval: from the task's creation to its completion.
    init(_ exchanges: [ExchangeFacts], interval: DateInterval) {
        transactions = exchanges.compactMap(URLSessionTaskTransactionMetrics.init)
        self.interval = interval
        super.init()
    }

    /// One for each request: redirects and retries have their own.
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }
    open var taskInterval: DateInterval { interval }
    /// A redirect that is the result was not followed, and does not count.
    open var redirectCount: Int {
        transactions.dropLast().count { transaction in
            (transaction.response as? HTTPURLResponse).map { [301, 302, 303, 307, 308].contains($0.statusCode) }
                ?? false
        }
    }
}
