package import FerryCore
package import FerryFoundation
package import FerryRules

/// A transfer's completion, with its event.
package struct TransferEnd: Sendable {
    /// The transfer with its outcome.
    package let record: TransferRecord
    /// The transfer as the event shows it permanently.
    @Boxed package private(set) var snapshot: Transfer
    /// The kind of the event.
    package let kind: TransferEvent.Kind
    package let at: Date
    /// The files that nothing needs after this outcome. Remove them before the record is stored: it does not name them.
    package let unneeded: UnneededFiles

    package struct UnneededFiles: Hashable, Sendable {
        /// Absolute path of a copy on its way to the final name.
        package var copy: String?
        package var partial: PartialFacts?
    }

    /// - Parameter record: The transfer as the outcome was decided on it. The outcome replaces its own.
    package init(_ record: TransferRecord, _ outcome: Outcome, at now: Date) {
        var ended = record
        ended.outcome = outcome
        ended.finishedAt = now
        ended.retry = nil
        if outcome.forgetsSecrets { ended.forgetSecrets() }
        ended.facts.copy = nil
        // From here on only its user's command starts it, which permits the request to be sent again.
        ended.facts.sending.mayHaveArrived = false
        var unneeded = UnneededFiles(copy: record.facts.copy)
        switch outcome {
        case .succeeded: ended.facts.partial = nil
        case .failed(let error) where error.kept(with: ended.facts) == .none:
            ended.facts.giveUpFile()
            unneeded.partial = record.facts.partial
        case .failed, .canceled: break
        }
        self.unneeded = unneeded
        self.record = ended
        _snapshot = Boxed(wrappedValue: Transfer(ended, live: .waiting(.slot)))
        kind = TransferEvent.Kind(of: outcome)
        at = now
    }
}

extension TransferEvent.Kind {
    /// The kind of the event of an outcome.
    package init(of outcome: Outcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .canceled: self = .canceled
        }
    }
}
