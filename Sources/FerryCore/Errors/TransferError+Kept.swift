// Ferry: FerryCore
// What stays on disk after an error, by what was there.

extension TransferError {
    /// What a transfer that ended with this error leaves on disk.
    ///
    /// A destination that fails at placement leaves the whole file, which a retry with another name places without fetching.
    package func kept(with facts: TransferFacts) -> KeptBytes {
        switch code {
        case .destinationExists, .destinationUnwritable:
            guard let length = facts.identity?.completeLength, facts.ranges.contains(0..<length), facts.partial != nil
            else {
                return code.row.kept
            }
            return .whole
        // Quit by the user: its client may continue it.
        case .canceled where details.cancelReason != nil: return .partial
        default: return code.row.kept
        }
    }
}
