import FerryCore
import FerryEngine

/// What the end of an attempt means.
extension Queue {
    /// What is stored after an attempt, and what follows once that is stored.
    struct Verdict: Sendable {
        enum Next: Sendable {
            case finish(Outcome)
            case again(NextAttempt)
            /// A user's wish has stopped it.
            case rest
        }

        let record: TransferRecord
        let next: Next
        /// What follows for others, whatever is stored.
        let effects: [Effect]
    }

    /// What spreads and scales delays; it comes with each input that may need it.
    struct Jitter: Sendable {
        /// From 0 up to 1.
        var random: Double
        /// Multiplies every delay.
        var delayScale: Double
    }
}

/// What attempts tell, from their runs to their ends.
extension QueueState {
    mutating func began(_ id: TransferID, _ record: TransferRecord, at moment: Moment) -> [Effect] {
        bound(record, at: moment)
        let changed = running.begin(id, record)
        var effects: [Effect] = changed.map { [.follow(id, $0)] } ?? []
        let isElsewhere = changed?.hasOtherAddress(than: record.request) == true
        // What was stopped before there was a run waits for its end; a new address is asked by the next attempt.
        if running.disposition(of: id) != .continues || isElsewhere { effects.append(.stop(id, nil)) }
        return effects + stopIfForbidden(id)
    }

    /// Forgets what was kept for the next attempt of a transfer whose end is stored.
    ///
    /// - Parameter size: how large its file is, if it has one.
    mutating func finished(_ id: TransferID, _ size: Int64?, at moment: Moment) -> [Effect] {
        if let size, let key = running.key(of: id) { running.noteSize(size, of: key.origin) }
        return forget(CollectionOfOne(id), at: moment)
    }

    mutating func ended(_ id: TransferID, _ next: NextAttempt?, at moment: Moment) -> [Effect] {
        let (next, wasAbandoned) = running.end(id, next)
        noteChange(of: id)
        var effects = planSchedule() + (wasAbandoned ? [.cleanUp] : [])
        guard let next, phase != .ending else { return effects }
        effects += enqueue(
            Input.Eligible(record: next.record, delay: next.delay, reason: next.reason, error: next.error), at: moment)
        // Its alarm may have rung between the end of its run and this.
        bound(next.record, at: moment)
        effects.append(.notifyWaiting(next.record))
        let session = next.record.request.session
        if next.reason == .authentication, apps.noteNews(of: session) { effects.append(.consider(session)) }
        return effects
    }

    // MARK: What an end means

    /// Decides what follows from an attempt's report; keeps what the report says about the origin, and the digest.
    ///
    /// - Parameter stored: the transfer as the journal has it: its request and the user's wish may have changed while the attempt
    ///   was made.
    /// - Returns: nil if the attempt has no run.
    mutating func judge(
        _ report: RunReport, of stored: TransferRecord, _ jitter: Queue.Jitter, at moment: Moment
    ) -> Queue.Verdict? {
        let id = stored.id
        guard let tried = running.record(of: id) else { return nil }
        var record = stored
        record.attempts = tried.attempts
        let key = sessions.key(record)
        var effects: [Effect] = []
        let end: TransferMachine.AttemptEnd
        switch report.result {
        case .succeeded(let success): end = .succeeded(success)
        case .stopped: end = .stopped
        case .failed(let error, let value):
            let retryAfter = value.flatMap { RetryAfter(parsing: $0, now: moment.wall) }
            let isRefused = error.details.httpStatus == 429 || error.details.httpStatus == 503
            if let retryAfter, isRefused, let refuser = report.refusedBy {
                let seconds = min(retryAfter.seconds, ThrottledOrigins.longest) * jitter.delayScale
                effects = take(.held(refuser, seconds: seconds, id), at: moment)
            }
            end = .failed(error, retryAfter: retryAfter)
        case .challenged(let challenge): end = .challenged(challenge)
        }
        var machine = TransferMachine(record, network: key.network)
        let action = machine.attemptEnded(
            end, facts: report.facts, cost: report.cost,
            at: TransferMachine.Moment(now: moment.wall, random: jitter.random, delayScale: jitter.delayScale))
        running.keep(report.digest, of: id)
        let next: Queue.Verdict.Next =
            switch action {
            case .finish(let outcome): .finish(outcome)
            case .enqueue(let delay, let reason):
                .again(NextAttempt(record: machine.record, delay: delay, reason: reason))
            case .none, .stop, .rest, .forget, .refuse: .rest
            }
        return Queue.Verdict(record: machine.record, next: next, effects: effects)
    }

    /// The end of an attempt that has succeeded, where its transfer is as it was when the attempt began; nil if it has not.
    func success(_ report: RunReport, of id: TransferID, at moment: Moment) -> (TransferRecord, Outcome)? {
        guard case .succeeded(let success) = report.result, let tried = running.record(of: id) else { return nil }
        let request = tried.request
        var machine = TransferMachine(tried, network: sessions.network(request.network, in: request.session))
        let action = machine.attemptEnded(
            .succeeded(success), facts: report.facts, cost: report.cost,
            at: TransferMachine.Moment(now: moment.wall, random: 0))
        guard case .finish(let outcome) = action else { return nil }
        return (machine.record, outcome)
    }
}

extension RunReport {
    /// What a report says of a transfer whose request may have changed since: what one address has answered says nothing of
    /// another, which is asked at once.
    func concerning(_ request: TransferRequest, asked: TransferRequest) -> RunReport {
        guard request.hasOtherAddress(than: asked) else { return self }
        switch result {
        case .succeeded, .stopped: return self
        case .failed, .challenged:
            var report = self
            report.result = .stopped
            return report
        }
    }
}
