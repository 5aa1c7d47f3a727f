@testable import FerryCore
import Foundation

extension Transfer {
    /// Returns a transfer of the interface's session.
    static func sample(id: UInt64, state: TransferState = .running, reason: WaitReason? = nil) -> Transfer {
        var transfer = Transfer(
            id: TransferID(rawValue: id), session: .aria2, url: "https://example.com/file.iso", state: state,
            priority: .normal, bytesReceived: 0, bytesExpected: nil, folder: "/downloads", attempts: 0,
            createdAt: Date(timeIntervalSince1970: Double(id % 1000)), rateLimit: 0, tags: [], verified: [],
            lengthVerified: true, unchanged: false, insecure: false, redirects: [], notes: [], method: "GET",
            exchanges: [], startedOver: 0)
        transfer.reason = reason ?? (state == .waiting ? .slot : nil)
        transfer.own.isActive = reason.map { WaitReason.ofActive.contains($0) } ?? false
        return transfer
    }
}

extension SessionID {
    static let aria2: SessionID = (try? SessionID("aria2")) ?? .cli
}
