import Foundation

@testable import FerryCore

/// Sample transfers.
extension Transfer {
    /// Returns a transfer that waits for a reason.
    static func waitingSample(_ reason: WaitReason) -> Transfer {
        var transfer = Transfer(
            id: TransferID(rawValue: 1), session: .cli, url: "https://example.com/a", state: .waiting,
            priority: .normal, bytesReceived: 0, bytesPerSecond: 0, folder: "/tmp", attempts: 1,
            createdAt: Date(timeIntervalSince1970: 0), rateLimit: 0, tags: [], verified: [], lengthVerified: true,
            unchanged: false, insecure: false, redirects: [], notes: [], method: "GET", exchanges: [],
            startedOver: 0)
        transfer.reason = reason
        return transfer
    }
}
