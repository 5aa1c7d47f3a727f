import FerryCore
import Foundation

@testable import FerryEngine
@testable import FerryService

/// Attempts: from the slot to what follows from their ends.
extension SimulatedWorld {
    /// Makes an attempt at a transfer that has got a slot.
    mutating func start(_ id: TransferID, _ key: QueueKey) {
        checkStart(id, key)
        attempts.begin(id, key)
        if let record = gatherings.ahead.take(id, revision: journal.revision) {
            return soon.append { $0.runAttempt(id, record) }
        }
        gatherings.starting.append(id)
        guard !gatherings.isReading else { return }
        gatherings.isReading = true
        soon.append { $0.readStarting() }
    }

    /// Reads the records of transfers that have a slot, with the records of some that come next.
    private mutating func readStarting() {
        let revision = journal.revision
        var group = gatherings.starting
        gatherings.starting = []
        group.removeAll { id in
            guard let record = gatherings.ahead.take(id, revision: revision) else { return false }
            soon.append { $0.runAttempt(id, record) }
            return true
        }
        guard let last = group.last else {
            gatherings.isReading = !gatherings.starting.isEmpty
            if gatherings.isReading { readStarting() }
            return
        }
        let next = queue.running.key(of: last).map { queue.waitingTransfers.waiting(with: $0, limit: 32) } ?? []
        let ids = group + next
        gatherings.ahead.beginReading(at: revision)
        read(.records) { rows throws(ServiceError) in
            try rows.records(ids)
        } then: { world, result in
            var records = Dictionary((result.value ?? []).map { ($0.id, $0) }) { first, _ in first }
            for id in group {
                let record = records.removeValue(forKey: id)
                world.soon.append { $0.runAttempt(id, record) }
            }
            world.gatherings.ahead.endReading(records)
            world.soon.append { $0.readStarting() }
        }
    }

    private mutating func runAttempt(_ id: TransferID, _ record: TransferRecord?) {
        guard var record, record.isEligible, !queue.running.isStopping(id) || mistake == .beginsWhatIsToStop,
            attempts[id] != nil
        else { return ended(id, nil) }
        if let begin = record.request.notBefore, begin > moment.wall {
            return ended(id, NextAttempt(record: record, delay: 0, reason: .beginDate))
        }
        if Queue.isOver(record, at: moment), let error = Queue.overdue(record) {
            return finish(record, .failed(error)) { world, result in
                let next = NextAttempt(record: record, delay: 0.02, reason: .retry)
                world.ended(id, result.value == true ? nil : next)
            }
        }
        if queue.running.disposition(of: id) == .yieldsSlot {
            return ended(id, NextAttempt(record: record, delay: 0, reason: .retry))
        }
        require(journal.record(id)?.outcome == nil, "\(id) makes an attempt, and has ended")
        record.attempts += 1
        record.retry = nil
        record.facts.challenge = nil
        attempts.change(id) {
            $0.hasRun = true
            $0.facts = record.facts
        }
        require(!ledger.isKnownToRest(id), "\(id) makes an attempt, and a client was told that it rests")
        require(!surroundings.isEnding, "\(id) makes an attempt while the process ends")
        tell(.began(id, record))
        if mistake == .linesUpWhatRuns, let line = StoredQueueKey(record, origin: key(record).origin) {
            tell(.stored([(line, [id])]))
        }
    }

    /// Tells a run to stop; one that is not there yet is met by its beginning.
    mutating func stopRun(_ id: TransferID, _ error: ServiceError? = nil) {
        attempts.change(id) { attempt in
            guard attempt.hasRun else { return }
            attempt.isToStop = true
            attempt.stopError = attempt.stopError ?? error
        }
    }

    // MARK: How attempts get on

    mutating func progress(_ number: Int, _ progress: Progress) -> Bool {
        let id = TransferID(number)
        guard let attempt = attempts[id], attempt.hasRun, !attempt.isSettling else { return false }
        switch progress {
        case .checkpoint:
            guard !attempt.isWhole else { return false }
            checkpoint(id)
        case .whole(let inMemory):
            guard !attempt.isWhole else { return false }
            attempts.change(id) {
                $0.isWhole = true
                $0.isInMemory = inMemory
                $0.lendsSlot = false
            }
            if mistake != .forgetsWhatIsWhole { tell(.whole(id, inMemory: inMemory)) }
        case .slowName:
            guard !attempt.isWhole, !attempt.lendsSlot, !attempt.keepsSlot else { return false }
            attempts.change(id) { $0.lendsSlot = true }
            tell(.name(id, isSlow: true))
        case .foundName:
            guard attempt.lendsSlot else { return false }
            attempts.change(id) { $0.lendsSlot = false }
            // One that is to stop for other reasons gives its slot back too, as long as the queue lets it go on.
            let gaveSlotBack = queue.running.disposition(of: id) == .yieldsSlot
            tell(.name(id, isSlow: false))
            if queue.running.disposition(of: id) == .yieldsSlot, !gaveSlotBack { attempts.givesSlotAway(id) }
        }
        return true
    }

    private mutating func checkpoint(_ id: TransferID) {
        attempts.change(id) { attempt in
            let end = attempt.facts.ranges.byteCount
            attempt.facts.ranges.insert(end..<end + 100_000)
            attempt.facts.partial = PartialFacts(
                folder: "/f", name: ".ferry-\(id).part", device: 1, inode: id.rawValue, folderDevice: 1, folderInode: 1)
        }
        guard let facts = attempts[id]?.facts else { return }
        commit(.checkpoint(id.number), ofRunning: true) { rows throws(ServiceError) in
            try rows.updateFacts(id, StoredFacts(facts))
        } then: { world, result in
            if result.value == true { world.queue.take(facts, of: id) }
        }
    }

    mutating func losePatience(_ number: Int) -> Bool {
        let waiters = attempts.losePatience(with: TransferID(number))
        for waiter in waiters { soon.append { waiter(&$0, false) } }
        return !waiters.isEmpty
    }

    // MARK: Ends of attempts

    mutating func end(_ number: Int, _ ending: Ending) -> Bool {
        let id = TransferID(number)
        guard let attempt = attempts[id], attempt.hasRun, !attempt.isSettling,
            !journal.errands.contains(.checkpoint(number))
        else { return false }
        if ending == .stopped, !attempt.isToStop { return false }
        attempts.change(id) { $0.isSettling = true }
        settle(id, ending)
        return true
    }

    private mutating func settle(_ id: TransferID, _ ending: Ending) {
        guard let attempt = attempts[id] else { return }
        let report = RunReport(ending, attempt, of: id)
        guard let (record, outcome) = queue.success(report, of: id, at: moment) else { return judge(id, report) }
        finish(record, outcome) { world, result in
            switch result {
            case .success(true): world.ended(id, nil)
            case .success(false): world.judge(id, report)
            case .failure(let error): world.failed(id, error)
            }
        }
    }

    /// Draws the consequences of a report from what the journal says by then.
    private mutating func judge(_ id: TransferID, _ report: RunReport) {
        read(.report(id.number)) { rows throws(ServiceError) in
            try rows.record(id)
        } then: { world, result in
            guard var stored = result.value ?? nil, stored.outcome == nil || world.mistake == .endsWhatHasEnded else {
                return world.ended(id, nil)
            }
            if world.mistake == .settlesFromTheFirstRecord, let tried = world.queue.running.record(of: id) {
                stored.request = tried.request
                stored.intent = tried.intent
            }
            let jitter = Queue.Jitter(random: 0.5, delayScale: 1)
            guard let verdict = world.queue.judge(report, of: stored, jitter, at: world.moment) else {
                return world.ended(id, nil)
            }
            if let origin = report.refusedBy?.description,
                world.queue.waitingTransfers.throttledOrigins.contains(origin)
            {
                world.ledger.hold(origin, id)
            }
            if world.mistake == .holdsForADay, let origin = report.refusedBy {
                world.tell(.held(origin, seconds: 86_400, id))
            }
            world.perform(verdict.effects)
            switch verdict.next {
            case .finish(let outcome):
                world.finish(verdict.record, outcome) { world, result in
                    switch result {
                    case .success(true): world.ended(id, nil)
                    case .success(false): world.judge(id, report)
                    case .failure(let error): world.failed(id, error)
                    }
                }
            case .again(let next): world.store(verdict.record, report, next)
            case .rest: world.store(verdict.record, report, nil)
            }
        }
    }

    /// Stores what an attempt has found out; where the transfer has changed meanwhile, that is judged anew.
    private mutating func store(_ record: TransferRecord, _ report: RunReport, _ next: NextAttempt?) {
        let id = record.id
        let overwrites = mistake == .storesWhatOthersHaveChanged
        commit(.ending(id.number)) { rows throws(ServiceError) in
            guard overwrites, let row = try rows.record(id) else { return try rows.update(record) }
            var blind = record
            blind.revision = row.revision
            return try rows.update(blind)
        } then: { world, result in
            switch result {
            case .success(true): world.ended(id, next)
            case .success(false): world.judge(id, report)
            case .failure(let error): world.failed(id, error)
            }
        }
    }

    /// Handles an attempt's report that cannot be stored. Another attempt follows once there may be room.
    private mutating func failed(_ id: TransferID, _ error: ServiceError) {
        let next = queue.running.record(of: id).map { record in
            NextAttempt(
                record: record, delay: TransferMachine.waitInterval, reason: error.code.row.subject.waitReason,
                error: error)
        }
        ended(id, mistake == .losesWhatHasNoRoom ? nil : next)
    }

    /// An attempt has ended, and what follows from it is stored.
    mutating func ended(_ id: TransferID, _ next: NextAttempt?) {
        guard attempts[id] != nil else { return }
        for waiter in attempts.end(id) { soon.append { waiter(&$0, true) } }
        if mistake == .losesAnEnd, next == nil, !surroundings.isEnding { return }
        tell(.ended(id, next))
        if mistake == .losesADelay, let record = next?.record, queue.waitingTransfers.delay(of: id) != nil {
            tell(.rested(record))
        }
    }

    // MARK: Ends of transfers

    /// Records an outcome with its event, and tells all listeners; false if the transfer has changed since it was read.
    mutating func finish(
        _ record: TransferRecord, _ outcome: Outcome,
        then next: @escaping (inout SimulatedWorld, Result<Bool, ServiceError>) -> Void
    ) {
        var ended = record
        let now = moment.wall
        ended.outcome = outcome
        ended.finishedAt = now
        ended.retry = nil
        if case .failed(let error) = outcome, error.kept(with: ended.facts) == .none { ended.facts.giveUpFile() }
        if case .succeeded = outcome { ended.facts.partial = nil }
        let kind: TransferEvent.Kind =
            switch outcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .canceled: .canceled
            }
        let (id, session) = (record.id, record.request.session)
        let end = StoredEnd(TransferEnd(ended, snapshot: Transfer(ended, live: .waiting(.slot))))
        gatherings.ends.append(
            Gatherings.End(end: end, kind: kind) { world, result in
                guard case .success(let number?) = result else { return next(&world, result.map { _ in false }) }
                world.hasEnded(id, session, number, kind, at: now)
                next(&world, .success(true))
            })
        guard !gatherings.isStoring else { return }
        gatherings.isStoring = true
        soon.append { $0.storeEnds() }
    }

    /// Stores the ends of the moment together.
    private mutating func storeEnds() {
        let group = gatherings.ends
        gatherings.ends = []
        guard !group.isEmpty else {
            gatherings.isStoring = false
            return
        }
        let now = moment.wall
        let isCareless = mistake == .endsWhatHasEnded
        commit(.ends, ofRunning: true) { rows throws(ServiceError) in
            var numbers: [Int64?] = []
            for one in group {
                var end = one.end.value.record
                if isCareless, let row = try rows.record(end.id) { end.revision = row.revision }
                let stored = isCareless ? StoredEnd(TransferEnd(end, snapshot: one.end.value.snapshot)) : one.end
                numbers.append(try rows.finish(stored, kind: one.kind, at: now))
            }
            return numbers
        } then: { world, result in
            for (index, one) in group.enumerated() {
                let answer = result.map { $0[index] }
                world.soon.append { one.next(&$0, answer) }
            }
            world.soon.append { $0.storeEnds() }
        }
    }

    /// Performs the effects of a stored completion.
    private mutating func hasEnded(
        _ id: TransferID, _ session: SessionID, _ number: Int64, _ kind: TransferEvent.Kind, at now: Date
    ) {
        if mistake != .takesOldRecordsAhead { gatherings.ahead.forget(id) }
        attempts.forget(id)
        ledger.release(told: id)
        if mistake != .holdsForTheDead { tell(.finished(id, size: kind == .succeeded ? 9 : nil)) }
        publish(TransferEvent(number: number, kind: kind, at: now, id: id, session: session, transfer: nil))
        tell(.app(.news(of: session)))
    }

    mutating func publish(_ event: TransferEvent) {
        hub.publish(event)
        if mistake == .tellsTwice, event.kind == .failed { hub.tell([.event(event)]) }
    }
}

extension RunReport {
    /// Creates an attempt's report for an ending.
    init(_ ending: Ending, _ attempt: Attempts.Attempt, of id: TransferID) {
        var facts = attempt.facts
        let gained = facts.advance()
        let cost = AttemptCost(spent: gained, gained: gained, seconds: 1, isWhole: attempt.isWhole)
        var refuser: Origin?
        let result: RunReport.Result
        switch ending {
        case .success:
            result = .succeeded(Outcome.Success(path: "/f/\(id)", size: facts.ranges.byteCount, verified: []))
        case .stopped: result = attempt.stopError.map { .failed($0, retryAfter: nil) } ?? .stopped
        case .failure(let code): result = .failed(ServiceError(code, "The attempt has failed."), retryAfter: nil)
        case .busy(let seconds):
            var details = ErrorDetails()
            details.httpStatus = 503
            refuser = (try? HTTPURL(parsing: attempt.key.origin + "/"))?.origin
            result = .failed(
                ServiceError(.serverBusy, "The server is busy.", details: details), retryAfter: "\(seconds)")
        case .challenge:
            result = .challenged(.trust(TrustChallenge(host: "a.test", port: 443, certificates: [], fault: nil)))
        }
        self.init(result: result, refusedBy: refuser, facts: Boxed(wrappedValue: facts), cost: cost, digest: nil)
    }
}
