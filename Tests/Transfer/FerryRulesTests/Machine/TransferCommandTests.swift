import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Wishes` {
    private static let now = ActiveTime.Instant(
        wall: Date(timeIntervalSince1970: 1_800_000_000), boot: "boot", uptime: 1000)

    private func core(
        _ intent: TransferIntent, _ outcome: Outcome.Kind? = nil, _ change: (inout TransferCore) -> Void = { _ in }
    ) -> TransferCore {
        var core = TransferCore(id: TransferID(rawValue: 7), intent: intent, outcome: outcome)
        core.active.begin(at: ActiveTime.Instant(wall: Self.now.wall - 60, boot: "boot", uptime: 940))
        core.retry = RetryMoment(at: Self.now.wall + 5, delay: 5, reason: .retry)
        core.restarts = 2
        change(&core)
        return core
    }

    private func decide(_ command: TransferCommand, _ core: inout TransferCore, isRunning: Bool = false)
        -> TransferMachine.Action
    {
        TransferMachine.decide(command, &core, at: CommandSituation(now: Self.now, isRunning: isRunning))
    }

    @Test func `a suspended transfer waits for no retry, and its time stands still`() {
        var core = core(.run)
        #expect(decide(.pause, &core) == .stop)
        #expect(core.retry == nil && core.due == nil)
        let later = ActiveTime.Instant(wall: Self.now.wall + 100, boot: "boot", uptime: 1100)
        #expect(core.active.seconds(at: later) == 60)
    }

    @Test(arguments: [nil, .failed, .canceled] as [Outcome.Kind?])
    func `the time of a run continues after a suspension, and begins again after an end`(outcome: Outcome.Kind?) {
        var core = core(outcome == nil ? .suspend : .run, outcome) { core in
            core.active.suspend(at: Self.now)
            core.resourceTimeout = 90
            core.deadline = Self.now.wall + 50
        }
        #expect(decide(.start, &core) == .enqueue(after: 0, .slot))
        #expect(core.isEligible && core.restarts == 0 && core.retry == nil)
        #expect(core.active.seconds(at: Self.now) == (outcome == nil ? 60 : 0))
        #expect(core.due == Self.now.wall + (outcome == nil ? 30 : 50))
    }

    @Test(arguments: [Outcome.Kind.succeeded, .failed, .canceled])
    func `what has ended without its secrets is not asked for again`(outcome: Outcome.Kind) {
        let before = core(.run, outcome) { $0.secretsForgotten = true }
        for command in [TransferCommand.start, .fetchAgain] where (command == .fetchAgain) == (outcome == .succeeded) {
            var core = before
            #expect(decide(command, &core) == .refuse(TransferRecord.lacksSecrets(core.id)))
            #expect(core == before)
        }
    }

    @Test(arguments: [TransferCommand.resume, .start, .fetchAgain])
    func `a start is decided again once the stopping run has ended`(command: TransferCommand) {
        let stopping = command == .fetchAgain ? [core(.run, .succeeded)] : [core(.suspend), core(.cancel)]
        for before in stopping {
            var core = before
            #expect(decide(command, &core, isRunning: true) == .postpone)
            #expect(core == before)
        }
        var running = core(.run)
        #expect(decide(command, &running, isRunning: true) == .none)
    }

    /// A regression: each of these commands revoked the removal, so the files and the row stayed.
    @Test(arguments: [TransferCommand.pause, .resume, .start, .fetchAgain, .cancel])
    func `a transfer that is being removed accepts no other command`(command: TransferCommand) {
        for intent in [TransferIntent.remove, .removeWithFile] {
            for outcome in [nil, .succeeded, .failed, .canceled] as [Outcome.Kind?] {
                let before = core(intent, outcome)
                var core = before
                let action = decide(command, &core)
                if case .refuse = action {
                    #expect(command == .resume || command == .start)
                } else {
                    #expect(action == .none)
                }
                #expect(core == before)
            }
        }
    }

    struct Removal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var intent = TransferIntent.run
        var outcome: Outcome.Kind?
        var change: @Sendable (inout TransferCore) -> Void = { _ in }
        var isRunning = false
        var command = TransferCommand.forget(file: false, sparesSucceeded: false)
        var action: TransferMachine.Action
    }

    @Test(arguments: [
        Removal(testDescription: "waits", action: .forget),
        Removal(testDescription: "suspended", intent: .suspend, action: .forget),
        Removal(testDescription: "runs", isRunning: true, action: .stop),
        Removal(testDescription: "has bytes", change: { $0.leavesWork = true }, action: .stop),
        Removal(testDescription: "is being canceled", intent: .cancel, action: .stop),
        Removal(testDescription: "canceled", intent: .cancel, outcome: .canceled, action: .forget),
        Removal(testDescription: "is being removed", intent: .remove, outcome: .failed, action: .stop),
        Removal(testDescription: "failed", outcome: .failed, action: .forget),
        Removal(testDescription: "succeeded", outcome: .succeeded, action: .forget),
        Removal(testDescription: "a result", outcome: .succeeded, change: { $0.isSpooled = true }, action: .stop),
        Removal(
            testDescription: "with its file", outcome: .succeeded,
            command: .forget(file: true, sparesSucceeded: false), action: .stop),
        Removal(
            testDescription: "spared", outcome: .succeeded,
            command: .forget(file: true, sparesSucceeded: true), action: .none),
    ])
    func `a transfer that leaves nothing behind is removed at once`(removal: Removal) {
        var core = core(removal.intent, removal.outcome, removal.change)
        #expect(decide(removal.command, &core, isRunning: removal.isRunning) == removal.action)
        let file: TransferIntent =
            removal.command == .forget(file: true, sparesSucceeded: false) ? .removeWithFile : .remove
        #expect(core.intent == (removal.action == .stop ? file : removal.intent))
        #expect(removal.action.isForgetting == (removal.command.event(of: removal.action) == .removed))
    }

    @Test func `a removal that spares what succeeded is taken back for it`() {
        var arrived = core(.remove, .succeeded)
        #expect(decide(.keep, &arrived) == .rest)
        #expect(arrived.intent == .run)
        var canceled = core(.remove)
        #expect(decide(.keep, &canceled) == .none)
    }

    /// An intent changes a record exactly as it changes the record's core.
    @Test func `change a record as they change what decisions depend on`() throws {
        var request = TransferRequest(url: "http://a.example/f", folder: "/d")
        request.timing.deadline = Self.now.wall + 9
        let outcomes: [Outcome?] = [
            nil, .succeeded(Outcome.Success(path: "/d/f", size: 9, verified: [])),
            .failed(ServiceError(.notFound, "Gone.")), .canceled,
        ]
        for intent in [TransferIntent.run, .suspend, .cancel, .remove, .removeWithFile] {
            for outcome in outcomes {
                for command in Self.all {
                    var record = TransferRecord(
                        id: TransferID(rawValue: 7), createdAt: Self.now.wall, request: request, credentials: nil)
                    record.intent = intent
                    record.outcome = outcome
                    record.finishedAt = outcome.map { _ in Self.now.wall }
                    record.facts.restarts = 3
                    var core = record.core
                    var machine = TransferMachine(record)
                    let moment = CommandSituation(now: Self.now, isDelayed: true)
                    #expect(machine.perform(command, at: moment) == TransferMachine.decide(command, &core, at: moment))
                    #expect(machine.record.core == core)
                    #expect((machine.record.finishedAt == nil) == (core.outcome == nil))
                }
            }
        }
    }

    private static let all: [TransferCommand] = [
        .pause, .resume, .start, .fetchAgain, .cancel, .keep, .forget(file: false, sparesSucceeded: false),
        .forget(file: true, sparesSucceeded: true),
    ]
}

extension TransferMachine.Action {
    fileprivate var isForgetting: Bool { self == .forget }
}
