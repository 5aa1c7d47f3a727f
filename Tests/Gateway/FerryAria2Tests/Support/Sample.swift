@testable import FerryCore
import Foundation

extension Transfer {
    /// Returns a transfer of the interface's session.
    static func sample(id: UInt64, state: TransferState = .running, reason: WaitReason? = nil) -> Transfer {
        var transfer = Transfer(
            TransferID(rawValue: id), in: .aria2, url: "https://example.com/file.iso", state: state,
            createdAt: Date(timeIntervalSince1970: Double(id % 1000)))
        transfer.folder = "/downloads"
        transfer.reason = reason ?? (state == .waiting ? .slot : nil)
        transfer.own.isActive = reason.map { WaitReason.ofActive.contains($0) } ?? false
        return transfer
    }
}

extension SessionID {
    static let aria2: SessionID = (try? SessionID("aria2")) ?? .cli
}
