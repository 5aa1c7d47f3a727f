import Foundation

@testable import FerryCore

/// Transfers for tests.
extension Transfer {
    /// A running transfer of which a quarter is there.
    static func sample(id: UInt64 = 1, url: String = "https://example.com/file.iso") -> Transfer {
        Transfer(
            id: TransferID(rawValue: id), session: .cli, url: url, state: .running, priority: .normal,
            bytesReceived: 1 << 20, bytesExpected: 4 << 20, bytesPerSecond: 1_048_576, folder: "/tmp", attempts: 1,
            createdAt: Date(timeIntervalSince1970: 0), rateLimit: 0, tags: [], verified: [], mismatched: [],
            lengthVerified: true, unchanged: false, insecure: false, redirects: [], notes: [], method: "GET",
            bytesSent: 0, exchanges: [],
            startedOver: 0, bytesSpent: 1 << 20)
    }
}
