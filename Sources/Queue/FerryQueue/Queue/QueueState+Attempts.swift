package import FerryCore
package import FerryRules

/// Events of attempts, from start to end.
extension QueueState {
    mutating func began(_ id: TransferID, _ record: TransferRecord, at moment: Moment) -> [Effect] {
        bound(record, at: moment)
        let changed = running.begin(id, record)
        var effects: [Effect] = changed.map { [.follow(id, $0)] } ?? []
        let isElsewhere = changed?.hasOtherAddress(than: record.request) == true
        // A stop from before the run existed takes effect here. A new address is requested by the next attempt.
        if running.disposition(of: id) != .continues || isElsewhere { effects.append(.stop(id, nil)) }
        return effects + stopIfForbidden(id)
    }

    /// Returns the outcome of a transfer that the conditions forbid and that does not wait for better ones.
    private func forbidding(_ record: TransferRecord) -> Outcome? {
        let key = sessions.key(record)
        var machine = TransferMachine(record, network: key.network)
        guard let reason = forbidding(key), case .finish(let outcome) = machine.forbidden(reason) else { return nil }
        return outcome
    }

    /// Discards values kept for the next attempt after the outcomes of transfers were stored.
    mutating func finished(_ ended: [(id: TransferID, size: Int64?)], at moment: Moment) -> [Effect] {
        var received: [String: [(id: TransferID, size: Int64)]] = [:]
        for (id, size) in ended {
            if let size, let key = running.key(of: id) { received[key.origin, default: []].append((id, size)) }
        }
        for (origin, sizes) in received {
            running.filesEnded(
                sizes, of: origin, isBusy: waitingTransfers.waiting(for: origin) > 0, sessions.settings,
                at: moment.clock)
        }
        return forget(ended.map(\.id), at: moment)
    }

    mutating func ended(_ id: TransferID, _ next: NextAttempt?, at moment: Moment) -> [Effect] {
        let (next, wasAbandoned) = running.end(id, next)
        noteChange(of: id)
        var effects = planSchedule() + (wasAbandoned ? [.cleanUp] : []) + [.freed([id])]
        guard let next, phase != .ending else { return effects }
        effects += enqueue(
            Input.Eligible(record: next.record, delay: next.delay, reason: next.reason, error: next.error), at: moment)
        // Its alarm may have gone off after its run ended. An outcome that could not be stored is stored after the delay.
        if Queue.isOver(next.record, at: moment) {
            waitingTransfers.ringDue(id, at: moment.clock + .wait(seconds: next.delay))
        } else {
            bound(next.record, at: moment)
        }
        effects.append(.notifyWaiting(next.record))
        let session = next.record.request.session
        if next.reason == .authentication, apps.noteNews(of: session) { effects.append(.consider(session)) }
        return effects
    }

    // MARK: Decisions

    /// Decides how the attempt of a transfer begins.
    ///
    /// - Parameter record: The transfer as stored now.
    func start(of record: TransferRecord, at moment: Moment) -> Queue.Start {
        let id = record.id
        // The journal's row is unreadable: this transfer fails, and the others continue. An action that changed the row
        // meanwhile has its own consequences.
        if case .failed(let error) = record.outcome, error.code == .journalFailed { return .finish(.failed(error)) }
        guard record.isEligible, !running.isStopping(id) else { return .none }
        if Queue.isOver(record, at: moment), let error = Queue.overdue(record) { return .finish(.failed(error)) }
        if !conditions.areGood, let outcome = forbidding(record) { return .finish(outcome) }
        // The wall clock may have been set back while it waited.
        if let begin = record.request.timing.notBefore, begin > moment.wall {
            return .again(NextAttempt(record: record, delay: 0, reason: .beginDate))
        }
        // The reason to end the transfer has gone.
        if running.onlyEnds(id) {
            let retry = record.retry?.moment
            return .again(
                NextAttempt(record: record, delay: retry?.rest(now: moment.wall) ?? 0, reason: retry?.reason ?? .retry))
        }
        // The slot is to be returned before it was used.
        if running.disposition(of: id) == .yieldsSlot {
            return .again(NextAttempt(record: record, delay: 0, reason: .retry))
        }
        return .run
    }

    /// Decides on an attempt's report. Keeps the report's information about the origin, and its digest.
    ///
    /// - Parameter stored: The transfer in the journal. Its request and intent may have changed during the attempt.
    /// - Returns: `nil` if the attempt has no run.
    mutating func judge(
        _ report: RunReport, of stored: TransferRecord, _ jitter: Queue.Jitter, at moment: Moment
    ) -> Queue.Verdict? {
        let id = stored.id
        let report = conditions.explained(report, of: stored.request.url)
        guard let tried = running.record(of: id) else { return nil }
        var record = stored
        record.attempts = tried.attempts
        let key = sessions.key(record)
        var effects: [Effect] = []
        if let refusal = report.refusal(at: moment) {
            let seconds = min(refusal.seconds, Origin.longestHold) * jitter.delayScale
            effects = take(.held(refusal.origin, seconds: seconds, id), at: moment)
        }
        if report.isOfBusyServer { running.refused(by: key.origin, at: moment.clock) }
        var machine = TransferMachine(record, network: key.network)
        let action = machine.attemptEnded(
            report.result, facts: report.facts, cost: report.cost,
            at: TransferMachine.Moment(now: moment.wall, random: jitter.random, delayScale: jitter.delayScale))
        running.keep(report.digest, of: id)
        return Queue.Verdict(record: machine.record, action: action, effects: effects)
    }

    /// Returns the outcome of a successful attempt if its transfer has not changed since the attempt started, else
    /// `nil`.
    func success(_ report: RunReport, of id: TransferID, at moment: Moment) -> (TransferRecord, Outcome)? {
        guard case .succeeded = report.result, let tried = running.record(of: id) else { return nil }
        let request = tried.request
        var machine = TransferMachine(tried, network: sessions.network(request.transport.network, in: request.session))
        let action = machine.attemptEnded(
            report.result, facts: report.facts, cost: report.cost,
            at: TransferMachine.Moment(now: moment.wall, random: 0))
        guard case .finish(let outcome) = action else { return nil }
        return (machine.record, outcome)
    }
}

extension RunReport {
    /// The server that asks all transfers to wait, and for how many seconds. `nil` if none does.
    fileprivate func refusal(at moment: Moment) -> (origin: Origin, seconds: Double)? {
        guard case .failed(let error, let value?) = result, let refusedBy,
            error.details.httpStatus == 429 || error.details.httpStatus == 503,
            let retryAfter = RetryAfter(parsing: value, now: moment.wall)
        else { return nil }
        return (refusedBy, retryAfter.seconds)
    }

    /// Whether the server refused a connection, or is too busy for the request.
    fileprivate var isOfBusyServer: Bool {
        guard case .failed(let error, _) = result else { return false }
        return error.code == .connectFailed && error.errorClass != .final || error.details.httpStatus == 429
            || error.details.httpStatus == 503
    }

    /// Returns the part of a report that applies to a request changed since. The response of one address says nothing
    /// about another, which is requested at once.
    package func concerning(_ request: TransferRequest, asked: TransferRequest) -> RunReport {
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
