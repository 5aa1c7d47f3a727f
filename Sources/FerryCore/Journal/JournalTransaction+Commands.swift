package import FerryFoundation

/// What users do to transfers, over what each journal has.
extension JournalTransaction {
    /// Asks the machine what a wish makes of each transfer, and stores what it answers.
    package func change(
        _ command: TransferCommand, _ ids: [TransferID], of session: SessionID, _ circumstances: BulkCommandSituation
    ) throws(ServiceError) -> BulkCommandChanges {
        var changes = BulkCommandChanges()
        for record in try records(Set(ids).sorted()) where record.request.session == session {
            var machine = TransferMachine(record)
            let action = machine.perform(command, at: circumstances.moment(of: record.id))
            guard changes.note(action, of: [record.id]) else { continue }
            try update(withFreeDestination(machine.record))
        }
        return changes
    }

    /// A transfer without its destination, where another one has reserved it meanwhile: the next head chooses another.
    private func withFreeDestination(_ record: TransferRecord) throws(ServiceError) -> TransferRecord {
        guard record.outcome == nil, let path = record.facts.destination, let holder = try destinationHolder(path),
            holder != record.id
        else { return record }
        var record = record
        record.facts.destination = nil
        return record
    }

    // MARK: Many transfers

    /// Suspends the transfers of a session that may run, with their events.
    package func suspend(
        _ ids: [TransferID], of session: SessionID, at moment: ActiveTime.Instant
    ) throws(ServiceError) -> EventRun {
        let changes = try change(.pause, ids, of: session, BulkCommandSituation(moment))
        return try appendEvents(kind: .suspended, at: moment.wall, ids: changes.changed, session: session)
    }

    /// Lets the transfers of a session run that are suspended, failed or canceled or wait for a moment; with
    /// their events.
    ///
    /// A transfer that has ended and lost its secrets is not asked for without them.
    /// - Parameter gone: transfers that have succeeded and whose files are gone, with the successes that this was found for;
    ///   they are fetched again, unless another success has taken its place.
    package func begin(
        _ ids: [TransferID], of session: SessionID, _ circumstances: BulkCommandSituation,
        gone: [TransferID: Outcome] = [:]
    ) throws(ServiceError) -> BegunTransfers {
        let changes = try change(.start, ids, of: session, circumstances)
        var begun = changes.changed
        // What has succeeded, or is being removed, is refused as well, which is no failure to report.
        var lacking = changes.refused.filter { $0.error.code == .authRequired }.map(\.id)
        for (id, success) in gone {
            guard let record = try record(id), record.request.session == session, record.outcome == success
            else { continue }
            var machine = TransferMachine(record)
            switch machine.perform(.fetchAgain, at: circumstances.moment(of: id)) {
            case .enqueue:
                try update(withFreeDestination(machine.record))
                begun.append(id)
            case .refuse: lacking.append(id)
            case .none, .stop, .rest, .finish, .forget: continue
            }
        }
        begun.sort()
        let events = try appendEvents(
            kind: .resumed, at: circumstances.now.wall, ids: begun, session: session)
        return BegunTransfers(events: events, lacking: lacking.sorted())
    }

    /// Forgets the transfers of a session that leave nothing behind, with their events, and notes of the others that they
    /// are to be forgotten.
    ///
    /// - Parameters:
    ///   - intent: `remove`, which leaves finished files, or `removeWithFile`.
    ///   - sparesSucceeded: whether transfers that have succeeded are left as they are.
    ///   - live: transfers that may be writing.
    /// - Returns: The events, and the transfers that are still to be cleaned up.
    package func remove(
        _ ids: [TransferID], of session: SessionID, intent: TransferIntent, sparesSucceeded: Bool,
        live: Set<TransferID>, at now: Date
    ) throws(ServiceError) -> (removed: EventRun, begun: [TransferID]) {
        // No time under way is reckoned of what goes.
        var circumstances = BulkCommandSituation(ActiveTime.Instant(wall: now, boot: nil, uptime: 0))
        circumstances.running = live
        let command = TransferCommand.forget(file: intent == .removeWithFile, sparesSucceeded: sparesSucceeded)
        let changes = try change(command, ids, of: session, circumstances)
        return (try forget(changes.forgotten, of: session, at: now), changes.changed)
    }

    /// Keeps transfers after all that have succeeded meanwhile.
    package func keep(_ ids: [TransferID]) throws(ServiceError) {
        for record in try records(ids) {
            var machine = TransferMachine(record)
            let now = ActiveTime.Instant(wall: record.createdAt, boot: nil, uptime: 0)
            guard machine.perform(.keep, at: CommandSituation(now: now)) == .rest else { continue }
            try update(machine.record)
        }
    }

    // MARK: One transfer

    /// The row that a record was read from, with what a run has recorded since; nil if the transfer has changed otherwise, or
    /// is gone.
    package func current(_ record: TransferRecord) throws(ServiceError) -> TransferRecord? {
        guard let current = try self.record(record.id), current.revision == record.revision else { return nil }
        return current
    }

    /// Stores a changed request; what a run has recorded since it was read stays.
    ///
    /// - Returns: false, with nothing changed, if the transfer is not what the change was decided from: a change that is stored
    ///   after an end would put back the secrets that the end has taken out.
    package func put(
        _ changed: TransferRecord, replacing old: TransferRecord
    ) throws(ServiceError) -> Bool {
        guard var current = try current(old) else { return false }
        let clearsDestination = changed.facts.destination == nil && old.facts.destination != nil
        current.request = changed.request
        current.credentials = changed.credentials
        if changed.request.hasOtherAddress(than: old.request) { current.retry = nil }
        if clearsDestination || changed.facts.name != old.facts.name {
            current.facts.name = nil
            current.facts.destination = nil
            current.facts.placement = nil
        }
        return try update(current)
    }

    /// Takes a wish for one transfer: one that cannot be read is what its record says.
    ///
    /// - Parameters:
    ///   - revision: of the row that the wish was decided from; nil takes the row as it is.
    ///   - isSilent: whether no event tells of it.
    package func command(
        _ command: TransferCommand, for id: TransferID, from revision: Revision? = nil, isSilent: Bool = false,
        at moment: CommandSituation
    ) throws(ServiceError) -> CommandOutcome {
        guard let record = try record(id) else { return .unknown }
        if let revision, record.revision != revision { return .stale }
        var machine = TransferMachine(record)
        let action = machine.perform(command, at: moment)
        switch action {
        case .none: return .none(record)
        case .refuse(let error): return .refused(error)
        case .stop, .rest, .enqueue, .finish, .forget: break
        }
        let stored = try withFreeDestination(machine.record)
        if action == .forget { try delete(id) } else { try update(stored) }
        guard !isSilent, let kind = command.event(of: action) else { return .done(nil, stored) }
        let (now, session) = (moment.now.wall, record.request.session)
        let number = try appendEvent(kind: kind, at: now, id: id, session: session, snapshot: nil)
        let event = TransferEvent(number: number, kind: kind, at: now, id: id, session: session, transfer: nil)
        return .done(event, stored)
    }
}
