/// Where a transfer stands, as far as the journal knows: derived from intent and outcome at each write, and indexed.
///
/// The raw values are part of the file format. Live phases come before ended ones.
package enum JournalPhase: Int, CaseIterable, Sendable {
    /// May run, or runs.
    case pending = 0
    case suspended = 1
    /// Cancel or removal was asked for; its files may still be there.
    case canceling = 2
    case succeeded = 3
    case failed = 4
    case canceled = 5

    package init(intent: TransferIntent, outcome: Outcome?) {
        self =
            switch (outcome, intent) {
            case (_, .remove), (_, .removeWithFile): .canceling
            case (.succeeded, _): .succeeded
            case (.failed, _): .failed
            case (.canceled, _): .canceled
            case (nil, .run): .pending
            case (nil, .suspend): .suspended
            case (nil, .cancel): .canceling
            }
    }

    package var isEnded: Bool { rawValue >= JournalPhase.succeeded.rawValue }
}
