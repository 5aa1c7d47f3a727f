package import FerryCore

/// The phase of a transfer in the journal, derived from intent and outcome at each write, and indexed.
///
/// The raw values are part of the file format. Live phases precede ended ones.
package enum JournalPhase: Int, CaseIterable, Sendable {
    /// Waiting or running.
    case pending = 0
    case suspended = 1
    /// Cancellation or removal was requested. Its files may still exist.
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

    /// The phase of a finished transfer that stays in the journal.
    package init?(ended outcome: Outcome.Kind?) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .canceled: self = .canceled
        case nil: return nil
        }
    }

    /// The outcome of a transfer in this phase.
    package var outcome: Outcome.Kind? {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .canceled: .canceled
        case .pending, .suspended, .canceling: nil
        }
    }

    /// The phases of finished transfers.
    package static var ended: Set<JournalPhase> { [.succeeded, .failed, .canceled] }

    package var isEnded: Bool { rawValue >= JournalPhase.succeeded.rawValue }
}
