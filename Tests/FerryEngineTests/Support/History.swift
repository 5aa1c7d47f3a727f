// Ferry: FerryEngineTests
// How all tries of one transfer went.

import FerryCore
import FerryEngine

/// How all tries of one transfer went.
struct History: Sendable {
    enum End: Sendable {
        case succeeded(Outcome.Success)
        case failed(TransferError)
        /// No try was left; the transfer itself would have gone on.
        case unfinished(TransferError)
        case stopped
        case challenged(PendingChallenge)
    }

    var reports: [RunReport]
    var end: End

    var facts: TransferFacts { reports.last?.facts ?? TransferFacts() }

    var success: Outcome.Success? { if case .succeeded(let success) = end { success } else { nil } }

    /// The error that ended the transfer.
    var failure: TransferError? { if case .failed(let error) = end { error } else { nil } }

    /// The error of each try that failed.
    var errors: [TransferError] {
        reports.compactMap { if case .failed(let error, _) = $0.result { error } else { nil } }
    }

    var codes: [ErrorCode] { errors.map(\.code) }
}
