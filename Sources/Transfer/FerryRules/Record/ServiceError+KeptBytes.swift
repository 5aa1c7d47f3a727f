package import FerryCore

/// The bytes that an error leaves on disk.
extension ServiceError {
    /// The bytes that a transfer with this error leaves on disk.
    ///
    /// A destination that fails at placement leaves the whole file. A retry with another name places it without
    /// fetching.
    package func kept(with facts: TransferFacts) -> KeptBytes {
        switch code {
        case .destinationExists, .destinationUnwritable:
            guard let length = facts.identity?.completeLength, facts.ranges.contains(0..<length), facts.partial != nil
            else {
                return code.row.kept
            }
            return .whole
        // Force-quit by the user: the client may resume it.
        case .canceled where details.cancelReason != nil: return .partial
        default: return code.row.kept
        }
    }
}
