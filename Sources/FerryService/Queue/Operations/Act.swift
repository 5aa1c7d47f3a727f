import FerryCore

/// A command on transfers, from the call to the answer.
///
/// Pure value. The queue passes it the result of each step, and the service performs the next one. The journal decides
/// the command on the rows as they are when it commits, so nothing is decided on an outdated record.
///
/// ```
/// examine ─→ commit ─→ publish ─→ stop ─→ reread ─→ finish ─→ answer
///              ↑                    │ postponed until a run has ended
///              └────────────────────┘
/// ```
struct Act: Sendable {
    /// The transfers of an action.
    enum Scope: Sendable {
        /// Transfers named by the caller. Each has a result.
        case named
        /// Transfers that the service ends itself once their runs have stopped: no event says that they stop. Each has a
        /// result.
        case stopped
        /// One page of all transfers, as read. Each has a result.
        case page([TransferRecord])
        /// Transfers of one session, changed in one transaction. Only failures have results.
        ///
        /// - `isNamed`: Whether the caller named them.
        case session(SessionID, isNamed: Bool)
    }

    let command: TransferCommand
    let scope: Scope
    let ids: [TransferID]

    /// The last known records. Empty for a session.
    private(set) var records: [TransferID: TransferRecord] = [:]
    /// Final results. Every other transfer of a call with results is answered by its record.
    private(set) var results: [TransferID: ActionResult] = [:]
    /// The error of the whole action, with nothing done.
    private(set) var error: ServiceError?

    /// Transfers to commit the command for.
    private var left: [TransferID] = []
    /// Changed transfers that are to stop.
    private(set) var stopped: [TransferID] = []
    /// Transfers that can start once their runs have ended.
    private var postponed: [TransferID] = []
    /// Transfers whose runs were waited for.
    private(set) var awaited: [TransferID] = []
    /// Succeeded transfers of a session whose files are missing or changed.
    private var gone: [TransferID: Outcome] = [:]
    private var isCommitted = false
    private var unpublished: Committed?
    private var stage = Stage.examine
    /// Waiting transfers that must not start before the next news, with their places in the queue.
    var withheld: [WaitingTransfers.TakenOut] = []

    private enum Stage { case examine, commit, publish, stop, reread, finish, answer }

    init(_ command: TransferCommand, on ids: [TransferID], _ scope: Scope) {
        self.command = command
        self.scope = scope
        self.ids = ids
        left = ids
        if case .page(let read) = scope {
            let own = Set(ids)
            know(read.filter { own.contains($0.id) })
        }
    }

    /// The session of an action on a session.
    var session: SessionID? {
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
                if !left.isEmpty { return .commit(commit(rooms)) }
                stage = .stop
            case .publish:
                stage = .stop
                if let committed = unpublished, committed.hasEvents {
                    unpublished = nil
                    return .publish(committed)
                }
            case .stop:
                stage = .reread
                awaited = toAwait(rooms.running)
                if !awaited.isEmpty { return .awaitRuns(awaited) }
            case .reread:
                if !postponed.isEmpty {
                    commitAgain(rooms.running)
                } else {
                    stage = .finish
                    if session == nil, command.isStop, !awaited.isEmpty { return .read(awaited) }
                }
            case .finish:
                stage = .answer
                if let step = finish(rooms.running) { return step }
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

    private func commit(_ rooms: ActRooms) -> Commit {
        var situation = rooms.situation(of: left, in: session)
        if case .forget = command {
            switch scope {
            // A named transfer may have files that were never recorded.
            case .named: situation.running = Set(left)
            case .page: situation.mayHaveLeftovers = true
            case .session, .stopped: break
            }
        }
        return Commit(
            command: command, ids: left, session: session, situation: situation, gone: gone, isSilent: isSilent)
    }

    /// Returns the transfers with a run that must end first.
    private func toAwait(_ running: Running) -> [TransferID] {
        if !command.isStop { return postponed }
        let acted = session == nil ? ids.filter { results[$0] == nil } : stopped
        return acted.filter { id in
            // An abandoned run is not waited for again by an action that does not need its end.
            running.contains(id) && (command != .pause || isSilent || running.disposition(of: id) != .isAbandoned)
        }
    }

    /// Commits the command again for transfers whose runs have ended.
    private mutating func commitAgain(_ running: Running) {
        left = postponed.filter { !running.contains($0) }
        for id in postponed where running.contains(id) {
            results[id] = ActionResult(id: id, error: .stillStopping(id))
        }
        postponed = []
        stage = .commit
    }

    private mutating func finish(_ running: Running) -> Step? {
        if isSilent {
            // The user's own command ends the others.
            for id in ids where running.contains(id) && records[id]?.intent.endsTransfer == false {
                results[id] = ActionResult(id: id, error: .stillStopping(id))
            }
        }
        let atRest = stopped.filter { !running.contains($0) && results[$0] == nil }
        guard !atRest.isEmpty else { return nil }
        switch command {
        case .cancel: return .finishCancel(atRest.compactMap { records[$0] })
        case .forget(_, let sparesSucceeded):
            if let session { return .remove(atRest, session, sparesSucceeded: sparesSucceeded) }
            return .finishRemoval(atRest.compactMap { records[$0] })
        case .pause, .resume, .start, .fetchAgain, .keep: return nil
        }
    }

    // MARK: News

    mutating func take(_ news: News) {
        switch news {
        case .canceled(let stored):
            if command == .cancel {
                for id in stored { results[id] = ActionResult(id: id, state: .canceled) }
                left.removeAll(where: stored.contains)
            }
        case .inspected(let found): gone = found
        case .committed(let committed):
            isCommitted = true
            unpublished = committed
            take(committed)
        case .published, .waited: break
        case .read(let read):
            know(read)
            let found = Set(read.map(\.id))
            for id in awaited where !found.contains(id) { results[id] = ActionResult(id: id, error: .unknown(id)) }
        case .finished(let done): for result in done { results[result.id] = result }
        case .failed(let error): fail(error)
        }
    }

    private mutating func take(_ committed: Committed) {
        switch committed {
        case .each(let outcomes): for (id, outcome) in outcomes { take(outcome, of: id) }
        case .stopped(let ids, _): stopped += ids
        case .begun(let begun, _):
            postponed = begun.postponed
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
        case .postponed: postponed.append(id)
        case .refused(let error): results[id] = ActionResult(id: id, error: error)
        case .unknown: results[id] = ActionResult(id: id, error: .unknown(id))
        }
    }

    /// Ends the action with an error for the transfers of the failed step.
    private mutating func fail(_ error: ServiceError) {
        if session != nil, !isCommitted { self.error = error }
        // The pause is stored, and only the facts of the runs are not known.
        let isKnown = stage == .finish && command == .pause && !isSilent
        let failed = stage == .finish ? awaited : left
        for id in failed where !isKnown { results[id] = ActionResult(id: id, error: error) }
        if stage != .finish { stage = .answer }
    }
}
