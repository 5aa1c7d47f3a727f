import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Transfer machine` {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let atOnce = CommandSituation(now: ActiveTime.Instant(wall: now, boot: "boot", uptime: 1000))
    private static let delayed = CommandSituation(now: atOnce.now, isDelayed: true)
    private static let moment = TransferMachine.Moment(now: now, random: 0.5)
    private static let success = Outcome.Success(path: "/d/f", size: 9, verified: [])

    private func record(
        intent: TransferIntent = .run, outcome: Outcome? = nil, retries: Int? = nil
    ) -> TransferRecord {
        var request = TransferRequest(url: "http://a.example/f", folder: "/d")
        request.timing.retries = retries
        var record = TransferRecord(
            id: TransferID(rawValue: 7), createdAt: Self.now, request: request, credentials: nil)
        record.intent = intent
        record.outcome = outcome
        return record
    }

    @Test(arguments: [
        (TransferIntent.run, TransferMachine.Action.stop, TransferIntent.suspend), (.suspend, .none, .suspend),
        (.cancel, .none, .cancel),
    ])
    func `pausing stops a running transfer, and does nothing twice`(
        intent: TransferIntent, action: TransferMachine.Action, after: TransferIntent
    ) {
        var machine = TransferMachine(record(intent: intent))
        #expect(machine.perform(.pause, at: Self.atOnce) == action)
        #expect(machine.record.intent == after)
    }

    @Test(arguments: [
        (TransferIntent.suspend, false, TransferMachine.Action.enqueue(after: 0, .slot)),
        (.run, true, .enqueue(after: 0, .slot)), (.run, false, .none), (.cancel, false, .none),
    ])
    func `T12 a resume is attempted at once, also for a transfer that waits for a retry`(
        intent: TransferIntent, isDelayed: Bool, action: TransferMachine.Action
    ) {
        var machine = TransferMachine(record(intent: intent))
        #expect(machine.perform(.resume, at: isDelayed ? Self.delayed : Self.atOnce) == action)
    }

    @Test func `T12 resuming starts delays and limits again`() {
        var machine = TransferMachine(record(retries: 1))
        let lost = ServiceError(.connectionLost, "Lost.")
        _ = machine.attemptEnded(.failed(lost, retryAfter: nil), facts: TransferFacts(), at: Self.moment)
        #expect(machine.record.retry != nil)
        _ = machine.perform(.resume, at: Self.delayed)
        #expect(machine.record.retry == nil)
        #expect(machine.record.failures.failures == 0)
    }

    @Test(arguments: [
        Outcome.failed(ServiceError(.notFound, "Gone.")), .canceled,
    ])
    func `retrying lets what ended run again`(outcome: Outcome) {
        var machine = TransferMachine(record(intent: .cancel, outcome: outcome))
        #expect(machine.perform(.start, at: Self.atOnce) == .enqueue(after: 0, .slot))
        #expect(machine.record.isEligible)
        #expect(machine.record.finishedAt == nil)
    }

    @Test func `a transfer that has succeeded is not retried`() {
        var machine = TransferMachine(record(outcome: .succeeded(Self.success)))
        guard case .refuse(let error) = machine.perform(.start, at: Self.atOnce) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .invalidRequest)
        #expect(machine.record.outcome != nil)
    }

    @Test func `canceling is stored first and ends once the run has stopped`() {
        var machine = TransferMachine(record(intent: .suspend))
        #expect(machine.perform(.cancel, at: Self.atOnce) == .stop)
        #expect(machine.record.intent == .cancel)
        #expect(machine.runStopped() == .finish(.canceled))
        var ended = TransferMachine(record(outcome: .succeeded(Self.success)))
        #expect(ended.perform(.cancel, at: Self.atOnce) == .none)
        #expect(ended.runStopped() == .none)
    }

    @Test(
        arguments: [false, true],
        [nil, .canceled, .failed(ServiceError(.notFound, "Gone.")), .succeeded(success)] as [Outcome?])
    func `a removal is stored first, and nothing takes it back`(withFile: Bool, outcome: Outcome?) {
        var machine = TransferMachine(record(outcome: outcome))
        let running = CommandSituation(now: Self.atOnce.now, isRunning: true)
        #expect(machine.perform(.forget(file: withFile, sparesSucceeded: false), at: running) == .stop)
        let removed = machine.record
        #expect(removed.intent == (withFile ? .removeWithFile : .remove))
        #expect(machine.perform(.pause, at: Self.atOnce) == .none && machine.perform(.cancel, at: Self.atOnce) == .none)
        for action in [machine.perform(.resume, at: Self.delayed), machine.perform(.start, at: Self.delayed)] {
            guard case .refuse(let error) = action else {
                Issue.record("not refused: \(action)")
                return
            }
            #expect(error.code == .diskIO)
        }
        #expect(machine.record == removed)
        #expect(machine.runStopped() == (outcome == nil ? .finish(.canceled) : .none))
        #expect(machine.record.intent == removed.intent)
    }

    @Test(arguments: [TransferIntent.run, .suspend, .cancel])
    func `a file that arrived counts, whatever was wanted meanwhile`(intent: TransferIntent) {
        var machine = TransferMachine(record(intent: intent))
        let end = TransferMachine.AttemptEnd.succeeded(Self.success)
        #expect(
            machine.attemptEnded(end, facts: TransferFacts(), cost: AttemptCost(spent: 9, gained: 9), at: Self.moment)
                == .finish(.succeeded(Self.success)))
    }

    @Test(arguments: [
        (TransferIntent.run, TransferMachine.Action.enqueue(after: 0, .slot)), (.suspend, .rest), (.cancel, .rest),
    ])
    func `a stopped try begins again only if the transfer is to run`(
        intent: TransferIntent, action: TransferMachine.Action
    ) {
        var machine = TransferMachine(record(intent: intent))
        #expect(machine.attemptEnded(.stopped, facts: TransferFacts(), at: Self.moment) == action)
    }

    @Test(arguments: [
        (ErrorCode.connectionLost, WaitReason.retry, 1.0), (.diskFull, .disk, 30), (.offline, .network, 30),
        (.hostNotFound, .retry, 1),
    ])
    func `a failure that may pass is tried again, and says what for`(
        code: ErrorCode, reason: WaitReason, delay: Double
    ) throws {
        var machine = TransferMachine(record())
        let action = machine.attemptEnded(
            .failed(ServiceError(code, "No."), retryAfter: nil), facts: TransferFacts(),
            at: Self.moment)
        #expect(action == .enqueue(after: delay, reason))
        let plan = try #require(machine.record.retry)
        #expect(plan.at == Self.now.addingTimeInterval(delay))
        #expect(plan.error.code == code)
    }

    @Test func `T5 a server that asks for time is given it`() {
        var machine = TransferMachine(record())
        let action = machine.attemptEnded(
            .failed(ServiceError(.serverBusy, "Busy."), retryAfter: "120"), facts: TransferFacts(),
            at: TransferMachine.Moment(now: Self.now, random: 0))
        #expect(action == .enqueue(after: 120, .server))
    }

    @Test(arguments: [ErrorCode.notFound, .tlsCertificate, .digestMismatch, .redirectRefused])
    func `a final failure ends the transfer`(code: ErrorCode) {
        var machine = TransferMachine(record())
        let action = machine.attemptEnded(
            .failed(ServiceError(code, "No."), retryAfter: nil), facts: TransferFacts(),
            at: Self.moment)
        guard case .finish(.failed(let error)) = action else {
            Issue.record("not failed: \(action)")
            return
        }
        #expect(error.code == code)
    }

    @Test(arguments: 0...3)
    func `T1 the caller's number of retries is kept`(retries: Int) {
        var machine = TransferMachine(record(retries: retries))
        for attempt in 0...retries {
            let action = machine.attemptEnded(
                .failed(ServiceError(.connectFailed, "No."), retryAfter: nil), facts: TransferFacts(),
                at: Self.moment)
            if case .finish = action { #expect(attempt == retries) } else { #expect(attempt < retries) }
        }
    }

    @Test func `T3 stored bytes start the limits again`() {
        var machine = TransferMachine(record(retries: 1))
        for _ in 0..<20 {
            let action = machine.attemptEnded(
                .failed(ServiceError(.connectionLost, "Lost."), retryAfter: nil), facts: TransferFacts(),
                cost: AttemptCost(spent: 100 << 10, gained: 100 << 10), at: Self.moment)
            guard case .enqueue = action else {
                Issue.record("ended: \(action)")
                return
            }
        }
    }

    /// A server that sends the same bytes again must not reset the transfer's limits at each attempt.
    @Test func `bytes that are fetched again start no limit again`() {
        var machine = TransferMachine(record(retries: 2))
        for attempt in 0...2 {
            let action = machine.attemptEnded(
                .failed(ServiceError(.connectionLost, "Lost."), retryAfter: nil), facts: TransferFacts(),
                cost: AttemptCost(spent: 1 << 20, gained: attempt == 0 ? 1 << 20 : 0, frontier: 1 << 20),
                at: Self.moment)
            if case .finish = action { #expect(attempt == 2) } else { #expect(attempt < 2) }
        }
    }

    @Test(arguments: [(nil, true), (1 << 40, false)] as [(Int64?, Bool)])
    func `a transfer that receives too much in vain ends, and is started with a new budget`(
        expectedSize: Int64?, ends: Bool
    ) {
        var record = record()
        record.request.response.expectedSize = expectedSize
        record.attempts = 7
        var machine = TransferMachine(record)
        let lost = TransferMachine.AttemptEnd.failed(ServiceError(.connectionLost, "Lost."), retryAfter: nil)
        let vain = AttemptCost(spent: 1 << 30, gained: 1 << 20, frontier: 1 << 20)
        let action = machine.attemptEnded(lost, facts: TransferFacts(), cost: vain, at: Self.moment)
        guard case .finish(.failed(let error)) = action else {
            #expect(!ends)
            return
        }
        #expect(ends && error.code == .budgetExceeded && error.details.attempts == 7)
        var failed = machine.record
        failed.outcome = .failed(error)
        machine = TransferMachine(failed)
        _ = machine.perform(.start, at: Self.atOnce)
        guard case .enqueue = machine.attemptEnded(lost, facts: TransferFacts(), at: Self.moment) else {
            Issue.record("the budget did not begin anew")
            return
        }
    }

    /// A regression: a week without network used up a transfer's retries, so its next failure was final.
    @Test(arguments: [
        (ServiceError(.offline, "No."), WaitReason.network), (ServiceError(.diskFull, "No."), .disk),
        (ServiceError(.destinationUnwritable, "No.", as: .wait), .destination),
    ])
    func `T6 a wait of a month is no time in vain`(cause: ServiceError, reason: WaitReason) {
        var machine = TransferMachine(record())
        func fail(_ error: ServiceError, after days: Double) -> TransferMachine.Action {
            machine.attemptEnded(
                .failed(error, retryAfter: nil), facts: TransferFacts(),
                at: TransferMachine.Moment(now: Self.now.addingTimeInterval(days * 86_400), random: 0.5))
        }
        let lost = ServiceError(.connectionLost, "Lost.")
        #expect(fail(lost, after: 0) == .enqueue(after: 1, .retry))
        for day in 1...30 { #expect(fail(cause, after: Double(day)) == .enqueue(after: 30, reason)) }
        #expect(fail(lost, after: 31) == .enqueue(after: 2, .retry))
    }

    @Test func `T6 the user's return begins the time in vain anew`() {
        var machine = TransferMachine(record())
        let lost = TransferMachine.AttemptEnd.failed(ServiceError(.connectionLost, "Lost."), retryAfter: nil)
        func fail(at now: Date) -> TransferMachine.Action {
            machine.attemptEnded(
                lost, facts: TransferFacts(), cost: AttemptCost(seconds: 6 * 86_400),
                at: TransferMachine.Moment(now: now, random: 0.5))
        }
        _ = fail(at: Self.now)
        _ = fail(at: Self.now)
        _ = machine.perform(.resume, at: Self.delayed)
        #expect(fail(at: Self.now) == .enqueue(after: 1, .retry))
        #expect(fail(at: Self.now) == .enqueue(after: 2, .retry))
    }

    @Test(arguments: [
        (TransferIntent.run, nil, true), (.suspend, nil, true), (.cancel, nil, false), (.remove, nil, false),
        (.run, Outcome.succeeded(success), false),
    ])
    func `a force-quit cancels what the user has not ended, and says why`(
        intent: TransferIntent, outcome: Outcome?, ends: Bool
    ) {
        var machine = TransferMachine(record(intent: intent, outcome: outcome))
        let before = machine.record
        let action = machine.quit()
        #expect(action == (ends ? .finish(.canceled) : .none))
        #expect(machine.record == before || (ends && machine.record.facts.cancelReason == 0))
    }

    @Test(arguments: [(TransferIntent.run, true), (.suspend, false)])
    func `T6 a deadline ends transfers that would run, and not those that the user has suspended`(
        intent: TransferIntent, ends: Bool
    ) {
        var machine = TransferMachine(record(intent: intent))
        guard case .finish(.failed(let error)) = machine.deadlinePassed() else {
            #expect(!ends)
            return
        }
        #expect(ends)
        #expect(error.code == .deadlineExceeded)
    }

    /// A regression: the error named the timeout, but not its cause.
    @Test func `T6 a deadline keeps what the last attempt failed by`() {
        var record = record(intent: .run)
        var cause = ServiceError(.diskFull, "The disk is full.")
        cause.details.errno = ENOSPC
        cause.details.urlError = -3003
        record.retry = RetryPlan(at: Self.now, delay: 1, reason: .disk, error: cause)
        var machine = TransferMachine(record)
        guard case .finish(.failed(let error)) = machine.deadlinePassed() else {
            Issue.record("no end")
            return
        }
        #expect(error.code == .deadlineExceeded && error.message.hasSuffix("The disk is full."))
        #expect(error.details.errno == ENOSPC && error.details.urlError == nil)
    }
}
