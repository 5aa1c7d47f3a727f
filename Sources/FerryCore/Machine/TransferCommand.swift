/// What a user wants of a transfer, or of many.
package enum TransferCommand: Hashable, Sendable {
    /// Stops it and keeps its bytes.
    case pause
    /// Lets go on what is suspended; one that waits for a moment tries at once (docs/behaviour/transfers.md#T12).
    case resume
    /// As `resume`, and begins one again that has failed or was canceled.
    case start
    /// Begins one again that has succeeded and whose file is not the one that it fetched, from 0.
    case fetchAgain
    /// Ends it and removes its partial file; its end is recorded once its run has stopped.
    case cancel
    /// Takes it out of the journal, with what it has on disk.
    ///
    /// - `file`: whether the file that it has put in its place goes too.
    /// - `sparesSucceeded`: whether one that has succeeded stays.
    case forget(file: Bool, sparesSucceeded: Bool)
    /// Takes back a removal that spares what succeeded, for one that has succeeded before its run was stopped.
    case keep

    /// The event that tells of an action which follows from it; nil if there is none, or not yet.
    package func event(of action: TransferMachine.Action) -> TransferEvent.Kind? {
        switch (self, action) {
        case (.pause, .stop): .suspended
        case (_, .enqueue): .resumed
        case (_, .forget): .removed
        default: nil
        }
    }
}

/// What a decision about a wish depends on besides the transfer.
package struct CommandSituation: Sendable {
    package let now: ActiveTime.Instant
    /// Whether it waits for a moment.
    package let isDelayed: Bool
    /// Whether a run may be writing for it.
    package let isRunning: Bool

    package init(now: ActiveTime.Instant, isDelayed: Bool = false, isRunning: Bool = false) {
        self.now = now
        self.isDelayed = isDelayed
        self.isRunning = isRunning
    }
}

extension TransferMachine.Action {
    /// Whether the limits of failures begin anew: a user has said so.
    package var startsLimits: Bool {
        if case .enqueue = self { true } else { false }
    }
}

extension TransferMachine {
    /// Takes a user's wish for the transfer.
    ///
    /// The intent is stored before anything is removed, so that a crash in between ends in the same way.
    package mutating func perform(_ command: TransferCommand, at moment: CommandSituation) -> Action {
        var core = record.core
        let action = Self.decide(command, &core, at: moment)
        switch action {
        case .none, .refuse: return action
        case .enqueue:
            if command == .fetchAgain {
                record.facts.startOver(note: "restarted: the finished file was gone or another one")
            }
            record.failures = FailureLedger()
        case .stop, .rest, .finish, .forget: break
        }
        record.core = core
        return action
    }

    /// What follows from a user's wish for a transfer; the same for one as for many.
    ///
    /// The limits of failures begin anew with `enqueue`, which the caller stores as well.
    /// - Returns: `none`, with nothing changed, if it is as it is wished or cannot be; `refuse` with the reason where a user
    ///   has to know it.
    package static func decide(_ command: TransferCommand, _ core: inout TransferCore, at moment: CommandSituation)
        -> Action
    {
        // What is being forgotten is gone for its user: it can only be forgotten once more, in another way.
        if core.intent.isRemoval {
            switch command {
            case .forget, .keep: break
            case .resume, .start: return .refuse(isBeingRemoved(core.id))
            case .pause, .fetchAgain, .cancel: return .none
            }
        }
        switch command {
        case .pause: return pause(&core, at: moment.now)
        case .resume: return resume(&core, at: moment)
        case .start: return start(&core, at: moment)
        case .fetchAgain: return core.outcome == .succeeded ? begin(&core, at: moment) : .none
        case .cancel: return cancel(&core)
        case .forget(let file, let sparesSucceeded):
            if sparesSucceeded, core.outcome == .succeeded { return .none }
            return forget(&core, file: file, isRunning: moment.isRunning)
        case .keep:
            guard core.intent.isRemoval, core.outcome == .succeeded else { return .none }
            core.intent = .run
            return .rest
        }
    }

    /// Why a transfer does not run again that is being removed.
    private static func isBeingRemoved(_ id: TransferID) -> ServiceError {
        ServiceError(.diskIO, "The transfer \(id) is being removed, and is gone once its disk answers.")
    }

    private static func pause(_ core: inout TransferCore, at now: ActiveTime.Instant) -> Action {
        guard core.isEligible else { return .none }
        core.intent = .suspend
        core.retry = nil
        core.active.suspend(at: now)
        return .stop
    }

    private static func resume(_ core: inout TransferCore, at moment: CommandSituation) -> Action {
        guard core.outcome == nil, core.intent == .suspend || (core.intent == .run && moment.isDelayed) else {
            return .none
        }
        return begin(&core, at: moment)
    }

    private static func start(_ core: inout TransferCore, at moment: CommandSituation) -> Action {
        switch core.outcome {
        case .succeeded:
            .refuse(
                ServiceError(.invalidRequest, "The transfer \(core.id) has succeeded; there is nothing to retry."))
        case nil: resume(&core, at: moment)
        case .failed, .canceled: begin(&core, at: moment)
        }
    }

    private static func begin(_ core: inout TransferCore, at moment: CommandSituation) -> Action {
        // A run that is about to end still has facts to record, and nothing is put in line beside it.
        guard !moment.isRunning else { return .none }
        if core.outcome != nil {
            // Nothing is asked for without the secrets that it was given with.
            if core.secretsForgotten { return .refuse(TransferRecord.lacksSecrets(core.id)) }
            core.outcome = nil
            core.active = ActiveTime()
        }
        core.intent = .run
        core.retry = nil
        core.restarts = 0
        core.active.begin(at: moment.now)
        return .enqueue(after: 0, .slot)
    }

    private static func cancel(_ core: inout TransferCore) -> Action {
        guard core.outcome == nil else { return .none }
        core.intent = .cancel
        core.retry = nil
        return .stop
    }

    private static func forget(_ core: inout TransferCore, file: Bool, isRunning: Bool) -> Action {
        let isCanceling = core.intent.isRemoval || core.intent == .cancel && core.outcome == nil
        let hasFile = core.outcome == .succeeded && (file || core.isSpooled)
        guard core.leavesWork || isCanceling || hasFile || isRunning else { return .forget }
        core.intent = file ? .removeWithFile : .remove
        core.retry = nil
        return .stop
    }
}
