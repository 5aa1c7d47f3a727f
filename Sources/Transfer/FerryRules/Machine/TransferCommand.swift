package import FerryCore

/// A user's command for one transfer, or for many.
package enum TransferCommand: Hashable, Sendable {
    /// Stops the transfer and keeps its bytes.
    case pause
    /// Resumes a suspended transfer. A delayed one is attempted at once (docs/behaviour/transfers.md#T12).
    case resume
    /// Like `resume`, and restarts a failed or canceled transfer.
    case start
    /// Restarts a succeeded transfer from byte 0, because its file has changed or is missing.
    case fetchAgain
    /// Cancels the transfer and removes its partial file. Recorded once its run has stopped.
    case cancel
    /// Removes the transfer from the journal, with its files on disk.
    ///
    /// - `file`: Whether to remove the placed file as well.
    /// - `sparesSucceeded`: Whether to keep a succeeded transfer.
    case forget(file: Bool, sparesSucceeded: Bool)
    /// Cancels a removal that spares succeeded transfers, because the transfer has succeeded before its run stopped.
    case keep

    /// The event for the resulting action, or nil if there is none, or none yet.
    package func event(of action: TransferMachine.Action) -> TransferEvent.Kind? {
        switch (self, action) {
        case (.pause, .stop): .suspended
        case (_, .enqueue): .resumed
        case (_, .forget): .removed
        default: nil
        }
    }
}

/// The state besides the record that a command's outcome depends on.
package struct CommandSituation: Sendable {
    package let now: ActiveTime.Instant
    /// Whether the transfer is delayed.
    package let isDelayed: Bool
    /// Whether a run may be writing for it.
    package let isRunning: Bool
    /// Whether an unfinished transfer may have files that were never recorded.
    package let mayHaveLeftovers: Bool

    package init(
        now: ActiveTime.Instant, isDelayed: Bool = false, isRunning: Bool = false, mayHaveLeftovers: Bool = false
    ) {
        self.now = now
        self.isDelayed = isDelayed
        self.isRunning = isRunning
        self.mayHaveLeftovers = mayHaveLeftovers
    }
}

extension TransferMachine.Action {
    /// Whether the retry limits are reset, because a user has asked for a new attempt.
    package var startsLimits: Bool {
        if case .enqueue = self { true } else { false }
    }
}

extension TransferMachine {
    /// Performs a user's command.
    ///
    /// The intent is stored before anything is removed, so that a crash in between has the same outcome.
    package mutating func perform(_ command: TransferCommand, at moment: CommandSituation) -> Action {
        var core = record.core
        let action = Self.decide(command, &core, at: moment)
        switch action {
        case .none, .postpone, .refuse: return action
        case .enqueue:
            if command == .fetchAgain {
                record.facts.startOver(note: "restarted: the finished file was missing or replaced")
            }
            record.failures = FailureLedger()
        case .stop, .rest, .finish, .forget: break
        }
        record.core = core
        return action
    }

    /// Decides the action that follows from a command. Used for one transfer and for many.
    ///
    /// `enqueue` also resets the retry limits, which the caller stores.
    /// - Returns: `none`, with nothing changed, if the command has no effect. `postpone` if it has one once the run has
    ///   ended. `refuse` with the reason if the user must know.
    package static func decide(_ command: TransferCommand, _ core: inout TransferCore, at moment: CommandSituation)
        -> Action
    {
        // A transfer that is being removed no longer exists for its user: it can only be removed again, with other
        // options.
        if core.intent.isRemoval {
            switch command {
            case .forget, .keep: break
            case .resume, .start: return .refuse(isBeingRemoved(core.id))
            case .pause, .fetchAgain, .cancel: return .none
            }
        }
        // A canceled transfer can start again once its run has ended, and its end is recorded.
        if command == .resume || command == .start, core.outcome == nil, core.intent == .cancel, moment.isRunning {
            return .postpone
        }
        switch command {
        case .pause: return pause(&core, at: moment.now)
        case .resume: return resume(&core, at: moment)
        case .start: return start(&core, at: moment)
        case .fetchAgain: return core.outcome == .succeeded ? begin(&core, at: moment) : .none
        case .cancel: return cancel(&core)
        case .forget(let file, let sparesSucceeded):
            if sparesSucceeded, core.outcome == .succeeded { return .none }
            let mayHaveLeftovers = moment.mayHaveLeftovers && core.outcome == nil
            return forget(&core, file: file, mayHaveFiles: moment.isRunning || mayHaveLeftovers)
        case .keep:
            guard core.intent.isRemoval, core.outcome == .succeeded else { return .none }
            core.intent = .run
            return .rest
        }
    }

    /// The error for starting a transfer that is being removed.
    private static func isBeingRemoved(_ id: TransferID) -> ServiceError {
        ServiceError(.diskIO, "The transfer \(id) is being removed, as soon as its disk responds.")
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
        // A stopping run still has facts to record, so the transfer is not enqueued beside it.
        guard !moment.isRunning else { return .postpone }
        if core.outcome != nil {
            // No request is made without the secrets that it was submitted with.
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

    private static func forget(_ core: inout TransferCore, file: Bool, mayHaveFiles: Bool) -> Action {
        let isCanceling = core.intent.isRemoval || core.intent == .cancel && core.outcome == nil
        let hasFile = core.outcome == .succeeded && (file || core.isSpooled)
        guard core.leavesWork || isCanceling || hasFile || mayHaveFiles else { return .forget }
        core.intent = file ? .removeWithFile : .remove
        core.retry = nil
        return .stop
    }
}
