// Ferry: FerryURLSession
// Where a session's transfers are carried.

import FerryCore
import Foundation

/// Where a session's transfers are carried: in this process, or in ferryd.
struct TransferPlace: Sendable {
    /// Whether transfers outlive this process.
    let isDaemon: Bool
    /// The service; opens or reaches it.
    let service: @Sendable () async throws(FerryCore.TransferError) -> any TransferService
    /// Where a file is that resume data name.
    let folder: @Sendable (ResumeData.Directory) -> String
    /// Takes over a partial file that was released, for resume data to name.
    let keep: @Sendable (PartialSource) throws -> (PartialSource, ResumeData.Directory)
    /// Returns once delegates may be told of events.
    let mayDeliver: @Sendable () async -> Void
}
