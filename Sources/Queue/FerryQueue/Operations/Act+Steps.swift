package import FerryCore
package import FerryRules

/// The steps of an action, and their results.
extension Act {
    /// Work for the service. Its result is the next ``News``.
    package enum Step: Sendable {
        /// Stores the canceled outcomes of transfers that never ran.
        case cancel([(record: TransferRecord, outcome: Outcome)])
        /// Finds the succeeded transfers whose files are missing or changed.
        case inspect([TransferID], SessionID)
        /// Commits the command.
        case commit(Commit)
        /// Publishes the events of a commit.
        case publish(Committed)
        /// Waits until other commits on transfers have ended.
        case awaitReleases([TransferID])
        /// Waits for the attempts of transfers, a few seconds at most.
        case awaitRuns([TransferID])
        case read([TransferID])
        /// Removes the files of held, canceled transfers, then stores their outcomes.
        case finishCancel([TransferRecord])
        /// Stores that held, removed transfers were canceled, then removes them with their files.
        case finishRemoval([TransferRecord])
        /// Removes held transfers of a session with their files.
        case remove([TransferID], SessionID, sparesSucceeded: Bool)
        case answer(Act)
    }

    /// A command to commit.
    package struct Commit: Sendable {
        package let command: TransferCommand
        package let ids: [TransferID]
        /// Nil for transfers of any sessions.
        package let session: SessionID?
        /// The transfers of each session, for a removal of transfers of any sessions at once.
        package let parts: [(session: SessionID, ids: [TransferID])]
        package let situation: BulkCommandSituation
        package let gone: [TransferID: Outcome]
        /// Whether to append no event.
        package let isSilent: Bool
    }

    /// The consequences of a command, as committed.
    package enum Committed: Sendable {
        case each([(id: TransferID, outcome: CommandOutcome)])
        /// Transfers were suspended or removed, or are to stop before they are removed.
        case stopped([Stopped])
        /// Transfers of one session may run again.
        case begun(BegunTransfers, [PendingTransfer])
    }

    /// Transfers of one session that were suspended or removed.
    package struct Stopped: Sendable {
        /// Transfers that are to stop.
        package let ids: [TransferID]
        /// The events of the suspended or removed transfers.
        package let events: EventRun
    }

    /// The result of a step.
    package enum News: Sendable {
        /// The outcomes of these transfers were stored.
        case canceled(Set<TransferID>)
        case inspected([TransferID: Outcome])
        case committed(Committed)
        case published
        /// The other commits have ended.
        case released
        /// The attempts, and the work on files, have ended, except for these.
        case waited(late: Set<TransferID>)
        case read([TransferRecord])
        /// The results of finished transfers. Those without one are finished later.
        case finished([ActionResult])
        case failed(ServiceError)
    }
}

extension Act.Commit {
    /// Performs the command in a transaction.
    package func perform(in transaction: any JournalTransaction) throws(ServiceError) -> Act.Committed {
        switch (command, session) {
        case (.forget(let file, let sparesSucceeded), let session?):
            let (removed, begun) = try transaction.remove(
                ids, of: session, intent: file ? .removeWithFile : .remove, sparesSucceeded: sparesSucceeded,
                live: situation.running, at: situation.now.wall)
            return .stopped([Act.Stopped(ids: begun, events: removed)])
        case (.forget, nil) where !parts.isEmpty:
            var stopped: [Act.Stopped] = []
            for (session, ids) in parts {
                let changes = try transaction.change(command, ids, of: session, situation)
                let removed = try transaction.forget(changes.forgotten, of: session, at: situation.now.wall)
                stopped.append(Act.Stopped(ids: changes.changed, events: removed))
            }
            return .stopped(stopped)
        case (.start, let session?):
            let begun = try transaction.begin(ids, of: session, situation, gone: gone)
            return .begun(begun, try transaction.pending(begun.events.ids))
        case (.pause, let session?):
            let suspended = try transaction.suspend(ids, of: session, at: situation.now)
            return .stopped([Act.Stopped(ids: suspended.ids, events: suspended)])
        default: return .each(try transaction.command(command, for: ids, isSilent: isSilent, situation))
        }
    }
}

extension Act.Committed {
    package var hasEvents: Bool {
        switch self {
        case .each(let outcomes):
            outcomes.contains { if case .done(.some, _) = $0.outcome { true } else { false } }
        case .stopped(let stopped): stopped.contains { !$0.events.ids.isEmpty }
        case .begun(let begun, _): !begun.events.ids.isEmpty
        }
    }

    /// The transfers that were deleted, with their sessions.
    package var deleted: [(id: TransferID, session: SessionID)] {
        switch self {
        case .each(let outcomes):
            outcomes.compactMap { id, outcome in
                guard case .done(let event, let record) = outcome, event?.kind == .removed else { return nil }
                return (id, record.request.session)
            }
        case .stopped(let stopped):
            stopped.map(\.events).filter { $0.kind == .removed }.flatMap { events in
                events.ids.map { ($0, events.session) }
            }
        case .begun: []
        }
    }
}

extension TransferCommand {
    /// Whether a running transfer must stop for it.
    package var isStop: Bool {
        switch self {
        case .pause, .cancel, .forget: true
        case .resume, .start, .fetchAgain, .keep: false
        }
    }

    /// Whether it ends the transfer permanently.
    package var ends: Bool { isStop && self != .pause }
}

extension ServiceError {
    package static func unknown(_ id: TransferID) -> ServiceError {
        ServiceError(.unknownTransfer, "There is no transfer \(id).")
    }

    /// The error of an action that needs a transfer's files while its run is still stopping.
    package static func stillStopping(_ id: TransferID) -> ServiceError {
        ServiceError(
            .diskIO,
            "Transfer \(id) has not stopped, because its disk does not respond. Earlier commands still apply; try again once "
                + "the disk answers.")
    }
}
