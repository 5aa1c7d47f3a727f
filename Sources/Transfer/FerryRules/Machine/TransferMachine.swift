package import FerryCore
package import FerryFoundation

/// Decides what one transfer does next. Performs nothing.
///
/// Its state is the record: the user's intent, the facts, and the outcome once there is one. Only the shell knows
/// whether a run is active, so every event carries what it needs of that. After each event the shell stores `record`
/// and then performs the action. Commands are decided on ``TransferCore``, for one transfer as for many.
///
/// ```
///            pause                     resume                  attemptEnded(.failed), not final
///   run ───────────────→ suspend ─────────────────→ run     run ─────────────────────────────→ run, after a delay
///   run, suspend ── cancel ──→ cancel ── runStopped ──→ canceled
///   run ── attemptEnded(.succeeded) ──→ succeeded        run ── attemptEnded(.failed), final; deadlinePassed ──→ failed
///   failed, canceled ── start ──→ run                succeeded ── fetchAgain ──→ run
///   any ── forget ──→ remove, which no other command undoes
/// ```
package struct TransferMachine: Sendable {
    /// The shell's action after it has stored the record.
    package enum Action: Hashable, Sendable {
        /// Nothing has changed.
        case none
        /// Stops the run if there is one, and waits until its writes are durable.
        case stop
        /// Leaves the transfer idle.
        case rest
        /// Enqueues the transfer after a delay in seconds. The reason applies until then.
        case enqueue(after: Double, WaitReason)
        /// Stores the outcome and its event in one transaction.
        case finish(Outcome)
        /// Deletes the transfer: nothing is left on disk.
        case forget
        /// Waits for the stopping run, which still has facts to record, and decides again. Nothing has changed.
        case postpone
        /// Returns the error to the caller. Nothing has changed.
        case refuse(ServiceError)
    }

    /// The end of an attempt.
    package enum AttemptEnd: Hashable, Sendable {
        /// The file is durable at its destination.
        case succeeded(Outcome.Success)
        /// Stopped on request. All written bytes are durable.
        case stopped
        /// The next step depends on the error's class.
        ///
        /// - `retryAfter`: The value of the response's `Retry-After`.
        case failed(ServiceError, retryAfter: String?)
        /// A server requires something that only the client can provide.
        case challenged(PendingChallenge)
    }

    /// The inputs of a decision besides the record.
    package struct Moment: Sendable {
        var now: Date
        /// A random number in 0..<1 that spreads delays.
        var random: Double
        /// Multiplier of every delay.
        var delayScale: Double

        package init(now: Date, random: Double, delayScale: Double = 1) {
            self.now = now
            self.random = random
            self.delayScale = delayScale
        }
    }

    /// Seconds between checks of a condition without notification, such as a full disk or a missing folder.
    package static let waitInterval = 30.0
    /// A hundred years in seconds: waits until the client answers.
    package static let untilAnswered = Duration.endless

    package internal(set) var record: TransferRecord
    /// The effective network policy, which may differ from the request's.
    private let network: NetworkPolicy?

    package init(_ record: TransferRecord, network: NetworkPolicy? = nil) {
        self.record = record
        self.network = network
    }

    // MARK: Events

    /// The run of a canceled or removed transfer has stopped, or there was none.
    package mutating func runStopped() -> Action {
        guard record.outcome == nil, record.intent.endsTransfer else { return .none }
        record.facts.startOver(note: "canceled")
        return .finish(.canceled)
    }

    /// The user has force-quit the app, and the transfer's run has stopped. Its bytes are kept, to be continued by another
    /// transfer. No effect on one that the user has ended.
    package mutating func quit() -> Action {
        guard record.outcome == nil, !record.intent.endsTransfer else { return .none }
        record.intent = .cancel
        record.facts.cancelReason = Self.forceQuit
        record.facts.challenge = nil
        return .finish(.canceled)
    }

    /// `URLError`'s reason of a cancellation by force-quit.
    private static let forceQuit = 0

    /// The transfer's deadline or its resource timeout has passed.
    package mutating func deadlinePassed() -> Action {
        guard record.isEligible else { return .none }
        var message = "The transfer was not finished by its deadline."
        var details = ErrorDetails()
        if let cause = record.retry?.error {
            message += " The last attempt failed: \(cause.message)"
            details = cause.details
            // The URL error is the deadline's, not that of the cause.
            details.urlError = nil
        }
        return .finish(.failed(ServiceError(.deadlineExceeded, message, details: details)))
    }

    /// The daemon has repeatedly trapped while this transfer was running. Its bytes are kept.
    package mutating func trapped() -> Action {
        guard record.isEligible else { return .none }
        return .finish(
            .failed(
                ServiceError(
                    .internal,
                    "ferryd crashed twice while this transfer was running. `ferry retry \(record.id)` restarts it.")))
    }

    private var networkPolicy: NetworkPolicy { network ?? record.request.transport.network }

    /// The conditions now forbid it to run. No effect on a transfer that waits for better conditions.
    package mutating func forbidden(_ reason: WaitReason) -> Action {
        guard record.isEligible, let error = ConditionRule.error(reason, networkPolicy) else { return .none }
        return .finish(.failed(error))
    }

    /// An attempt has ended, with its facts durable.
    package mutating func attemptEnded(
        _ end: AttemptEnd, facts: TransferFacts, cost: AttemptCost = AttemptCost(), at moment: Moment
    ) -> Action {
        record.facts = facts
        record.retry = nil
        record.failures.attempted(cost, now: moment.now)
        switch end {
        case .succeeded(let success):
            record.facts.restarts = 0
            return .finish(.succeeded(success))
        case .stopped:
            // Stopped to restart with a changed request, unless the user stopped it.
            return record.isEligible ? .enqueue(after: 0, .slot) : .rest
        case .failed(let error, let retryAfter):
            guard record.isEligible else { return .rest }
            return failed(error, retryAfter.flatMap { RetryAfter(parsing: $0, now: moment.now) }, moment)
        case .challenged(let challenge):
            guard record.isEligible else { return .rest }
            record.facts.challenge = challenge
            return wait(challenge.error, .authentication, moment)
        }
    }

    private mutating func failed(_ error: ServiceError, _ retryAfter: RetryAfter?, _ moment: Moment) -> Action {
        let own = record.request.retryPolicy
        let policy = record.facts.ranges.isEmpty ? own : own.afterBytes
        if let status = error.details.httpStatus, policy.rule?.expiredStatusCodes.contains(status) == true {
            return wait(error, .expired, moment)
        }
        if error.code == .diskFull {
            let isKnown = error.details.required != nil
            switch record.request.file.onFullDisk {
            case .fail: return .finish(.failed(error))
            case .failAtStart where isKnown: return .finish(.failed(error))
            case .failAtStart, .wait: break
            }
        }
        if error.code == .offline, !networkPolicy.waits { return .finish(.failed(error)) }
        switch record.failures.failed(
            error, retryAfter: retryAfter, policy: policy, now: moment.now, random: moment.random)
        {
        case .retry(let delay, let error):
            let request = record.request
            if var fault = record.failures.budget?.fault(expectedSize: request.response.expectedSize, url: request.url)
            {
                fault.details.attempts = record.attempts
                return .finish(.failed(fault))
            }
            return plan(error, after: delay, retryAfter == nil ? .retry : .server, moment)
        case .wait(let error):
            return plan(error, after: Self.waitInterval, error.code.row.subject.waitReason, moment)
        case .fail(var error):
            error.details.attempts = record.attempts
            return .finish(.failed(error))
        }
    }

    /// Waits until the client provides what is missing, regardless of the delay scale.
    private mutating func wait(_ error: ServiceError, _ reason: WaitReason, _ moment: Moment) -> Action {
        let delay = Self.untilAnswered
        let at = moment.now.addingTimeInterval(delay)
        record.retry = RetryPlan(at: at, delay: delay, reason: reason, error: error)
        return .enqueue(after: delay, reason)
    }

    private mutating func plan(
        _ error: ServiceError, after delay: Double, _ reason: WaitReason, _ moment: Moment
    ) -> Action {
        var error = error
        let delay = delay * moment.delayScale
        let at = moment.now.addingTimeInterval(delay)
        error.details.nextAttemptAt = at
        error.details.attempts = record.failures.failures
        record.retry = RetryPlan(at: at, delay: delay, reason: reason, error: error)
        return .enqueue(after: delay, reason)
    }
}
