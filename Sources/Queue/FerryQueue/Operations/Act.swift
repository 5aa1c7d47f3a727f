package import FerryCore
package import FerryRules

/// A command on transfers, from the call to the answer.
///
/// Pure value. The queue passes it the result of each step, and the service performs the next one. The journal decides
/// the command on the rows as they are when it commits, so nothing is decided on an outdated record.
///
/// ```
/// examine ─→ commit ─→ publish ─→ stop ─→ finish ─→ reread ─→ answer
///              ↑                   │ postponed until a run has ended
///              └───────────────────┘
/// ```
package struct Act: Sendable {
    /// The transfers of an action.
    package enum Scope: Sendable {
        /// Transfers named by the caller. Each has a result.
        case named
        /// Transfers that the service ends itself once their runs have stopped: no event says that they stop. Each has a
        /// result. Those without an error stay held.
        case stopped
        /// One page of all transfers, as read. Each has a result.
        case page([TransferRecord])
        /// Transfers of one session, changed in one transaction. Only failures have results.
        ///
        /// - `isNamed`: Whether the caller named them.
        case session(SessionID, isNamed: Bool)
    }

    package let command: TransferCommand
    package let scope: Scope
    package let ids: [TransferID]

    /// The last known records. Empty for a session.
    package private(set) var records: [TransferID: TransferRecord] = [:]
    /// Final results. Every other transfer of a call with results is answered by its record.
    package private(set) var results: [TransferID: ActionResult] = [:]
    /// The error of the whole action, with nothing done.
    package private(set) var error: ServiceError?

    private var commits: ActCommits
    /// Changed transfers that are to stop.
    package private(set) var stopped: [TransferID] = []
    /// Transfers whose runs have not ended in time.
    private var late: Set<TransferID> = []
    /// Transfers whose records or results are awaited.
    private var pending: [TransferID] = []
    /// Succeeded transfers of a session whose files are missing or changed.
    private var gone: [TransferID: Outcome] = [:]
    private var isCommitted = false
    private var unpublished: Committed?
    private var stage = Stage.examine
    /// Transfers held for a commit until the next news, or for their files until the caller releases them.
    package var held: [TransferID] = []

    private enum Stage { case examine, commit, publish, stop, finish, reread, answer }

    package init(_ command: TransferCommand, on ids: [TransferID], _ scope: Scope) {
        self.command = command
        self.scope = scope
        self.ids = ids
        commits = ActCommits(ids)
        if case .page(let read) = scope {
            let own = Set(ids)
            know(read.filter { own.contains($0.id) })
        }
    }

    /// The session of an action on a session.
    package var session: SessionID? {
        guard case .session(let session, _) = scope else { return nil }
        return session
    }

    private var isSilent: Bool { if case .stopped = scope { true } else { false } }

    private mutating func know(_ read: [TransferRecord]) {
        for record in read { records[record.id] = record }
    }

    // MARK: Decisions

    /// Returns the next step.
    mutating func next(_ rooms: ActRooms) -> Step {
        while true {
            switch stage {
            case .examine:
                stage = .commit
                if let step = examine(rooms) { return step }
            case .commit:
                stage = .publish
                let ids = commits.begin(besides: rooms.held)
                if !ids.isEmpty { return .commit(commit(ids, rooms)) }
                stage = .stop
            case .publish:
                stage = .stop
                if let committed = unpublished, committed.hasEvents {
                    unpublished = nil
                    return .publish(committed)
                }
            case .stop:
                // The records after the runs.
                if !pending.isEmpty { return .read(pending) }
                let held = commits.blocked.filter { rooms.held.contains($0, for: .commit) }
                if !held.isEmpty { return .awaitReleases(held) }
                if let step = awaitRuns(rooms) { return step }
                if commits.areDone { stage = .finish } else { commitAgain(rooms) }
            case .finish:
                stage = .reread
                if let step = finish(rooms) { return step }
            case .reread:
                stage = .answer
                pending.removeAll { results[$0] != nil }
                if session == nil, !pending.isEmpty { return .read(pending) }
            case .answer: return .answer(self)
            }
        }
    }

    private mutating func examine(_ rooms: ActRooms) -> Step? {
        switch scope {
        case .session(let session, isNamed: true) where command == .start: return .inspect(ids, session)
        case .page where command.ends:
            let ended = ids.compactMap { records[$0].flatMap(rooms.canceled) }
            return ended.isEmpty ? nil : .cancel(ended)
        case .session, .page, .named, .stopped: return nil
        }
    }

    private func commit(_ ids: [TransferID], _ rooms: ActRooms) -> Commit {
        var situation = rooms.situation(of: ids, in: session)
        if case .forget = command {
            switch scope {
            // A named transfer may have files that were never recorded.
            case .named: situation.running = Set(ids)
            case .page: situation.mayHaveLeftovers = true
            case .session, .stopped: break
            }
        }
        return Commit(
            command: command, ids: ids, session: session, parts: parts(of: ids), situation: situation, gone: gone,
            isSilent: isSilent)
    }

    /// Returns the transfers of each session, for the removal of a page. None of its records has to be read again.
    private func parts(of ids: [TransferID]) -> [(session: SessionID, ids: [TransferID])] {
        guard case .page = scope, case .forget = command else { return [] }
        let own = Dictionary(grouping: ids) { records[$0]?.request.session ?? .cli }
        return own.map { (session: $0.key, ids: $0.value) }.sorted { $0.ids[0] < $1.ids[0] }
    }

    /// Waits for the runs, and the work on files, that must end first. Commits that are possible now come before.
    private mutating func awaitRuns(_ rooms: ActRooms) -> Step? {
        guard commits.blocked.isEmpty else { return nil }
        let awaited = toAwait(rooms)
        guard !awaited.isEmpty else { return nil }
        if session == nil, command.isStop { pending = awaited }
        return .awaitRuns(awaited)
    }

    private func toAwait(_ rooms: ActRooms) -> [TransferID] {
        guard command.isStop else { return commits.postponed.filter { rooms.isBusy($0) && !late.contains($0) } }
        let acted = session == nil ? ids.filter { results[$0] == nil } : stopped
        return acted.filter { id in
            guard !late.contains(id) else { return false }
            // Nothing undoes this command. An attempt that an outdated record has started meanwhile ends at once.
            if command.ends, stopped.contains(id) { return rooms.isBusy(id) }
            // The attempt of a transfer that has just ended may still have its slot.
            if isSilent { return rooms.isBusy(id) }
            if rooms.held.contains(id, for: .files) { return false }
            guard let disposition = rooms.running.disposition(of: id), disposition >= .stops else { return false }
            // An abandoned run is not waited for again by an action that does not need its end.
            return command != .pause || disposition != .isAbandoned
        }
    }

    private mutating func commitAgain(_ rooms: ActRooms) {
        stage = .commit
        for id in commits.again(isBusy: rooms.isBusy) { results[id] = ActionResult(id: id, error: .stillStopping(id)) }
    }

    private mutating func finish(_ rooms: ActRooms) -> Step? {
        if isSilent {
            // The user's own command ends the others.
            for id in ids where rooms.isBusy(id) && records[id]?.intent.endsTransfer == false {
                results[id] = ActionResult(id: id, error: .stillStopping(id))
            }
            held = ids.filter { !rooms.isBusy($0) && results[$0] == nil }
        }
        let atRest = stopped.filter { !rooms.isBusy($0) && results[$0] == nil }
        guard command.ends, !atRest.isEmpty else { return nil }
        pending = atRest
        if case .forget(_, let sparesSucceeded) = command {
            if let session { return .remove(atRest, session, sparesSucceeded: sparesSucceeded) }
            return .finishRemoval(atRest.compactMap { records[$0] })
        }
        return .finishCancel(atRest.compactMap { records[$0] })
    }

    // MARK: News

    package mutating func take(_ news: News) {
        switch news {
        case .canceled(let stored):
            if command == .cancel {
                for id in stored { results[id] = ActionResult(id: id, state: .canceled) }
                commits.remove(stored)
            }
        case .inspected(let found): gone = found
        case .committed(let committed):
            isCommitted = true
            unpublished = committed
            take(committed)
        case .published, .released: break
        case .waited(let late): self.late.formUnion(late)
        case .read(let read):
            know(read)
            let found = Set(read.map(\.id))
            for id in pending where !found.contains(id) { results[id] = missing(id) }
            pending = []
        case .finished(let done):
            for result in done where session == nil || result.error != nil { results[result.id] = result }
        case .failed(let error): fail(error)
        }
    }

    private mutating func take(_ committed: Committed) {
        switch committed {
        case .each(let outcomes):
            commits.end(
                postponing: outcomes.compactMap { if case .postponed = $0.outcome { $0.id } else { nil } })
            for (id, outcome) in outcomes { take(outcome, of: id) }
        case .stopped(let stopped):
            let committed = commits.left
            commits.end()
            for one in stopped { self.stopped += one.ids }
            guard session == nil else { return }
            for id in stopped.flatMap(\.events.ids) { results[id] = ActionResult(id: id) }
            // Their rows have changed, or are gone.
            pending = committed.filter { results[$0] == nil }
        case .begun(let begun, _):
            commits.end(postponing: begun.postponed)
            for id in begun.lacking { results[id] = ActionResult(id: id, error: TransferRecord.lacksSecrets(id)) }
        }
    }

    private mutating func take(_ outcome: CommandOutcome, of id: TransferID) {
        switch outcome {
        case .done(let event, _) where event?.kind == .removed: results[id] = ActionResult(id: id)
        case .done(_, let record):
            records[id] = record
            if command.isStop { stopped.append(id) }
        case .none(let record): records[id] = record
        case .postponed: break
        case .refused(let error): results[id] = ActionResult(id: id, error: error)
        case .unknown: results[id] = ActionResult(id: id, error: .unknown(id))
        }
    }

    /// Ends the action with an error for the transfers of the failed step.
    private mutating func fail(_ error: ServiceError) {
        switch stage {
        case .stop where !pending.isEmpty, .answer:
            // A pause is stored, and only the facts of the runs are not known.
            if command != .pause || isSilent { fail(pending, error) }
            pending = []
        case .reread: fail(pending, error)
        case .examine, .commit, .publish, .stop, .finish:
            fail(commits.left, error)
            commits.end()
            // Transfers that were committed before are to be finished.
            stage = .stop
            guard session != nil, !isCommitted else { return }
            self.error = error
            commits.giveUp()
        }
    }

    private mutating func fail(_ ids: [TransferID], _ error: ServiceError) {
        for id in ids { results[id] = ActionResult(id: id, error: error) }
    }

    /// Returns the result of a transfer that is not found any more.
    private func missing(_ id: TransferID) -> ActionResult {
        // Its removal has just been completed.
        if case .forget = command, stage == .answer { return ActionResult(id: id) }
        return ActionResult(id: id, error: .unknown(id))
    }
}
