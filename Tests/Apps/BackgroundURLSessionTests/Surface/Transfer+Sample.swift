import Foundation

@testable import FerryCore

/// Sample transfers.
extension Transfer {
    /// Returns a transfer that waits for a reason.
    static func waitingSample(_ reason: WaitReason) -> Transfer {
        var transfer = Transfer(
            TransferID(rawValue: 1), in: .cli, url: "https://example.com/a", state: .waiting,
            createdAt: Date(timeIntervalSince1970: 0))
        (transfer.bytesPerSecond, transfer.folder, transfer.attempts) = (0, "/tmp", 1)
        transfer.reason = reason
        return transfer
    }
}
