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

    package init(intent: TransferIntent, outcome: Outcome.Kind?) {
        self =
            switch intent {
            case .remove, .removeWithFile: .canceling
            case .run: Self(ended: outcome) ?? .pending
            case .suspend: Self(ended: outcome) ?? .suspended
            case .cancel: Self(ended: outcome) ?? .canceling
            }
    }

    package init(_ core: TransferCore) { self.init(intent: core.intent, outcome: core.outcome) }

    /// The phase of one that has ended and stays.
    package init?(ended outcome: Outcome.Kind?) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .canceled: self = .canceled
        case nil: return nil
        }
    }

    /// How a transfer in this phase has ended.
    package var outcome: Outcome.Kind? {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .canceled: .canceled
        case .pending, .suspended, .canceling: nil
        }
    }

    /// The phases in which a transfer has ended.
    package static var ended: Set<JournalPhase> { [.succeeded, .failed, .canceled] }

    package var isEnded: Bool { rawValue >= JournalPhase.succeeded.rawValue }
}
