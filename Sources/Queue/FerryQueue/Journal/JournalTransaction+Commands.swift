package import FerryCore
package import FerryFoundation
package import FerryRules

/// Commands of users, over what each journal implements.
extension JournalTransaction {
    /// Performs a command on each transfer and stores the results.
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

    /// The transfer without its destination if another transfer has reserved it since. The next response head chooses a
    /// new one.
    private func withFreeDestination(_ record: TransferRecord) throws(ServiceError) -> TransferRecord {
        guard record.outcome == nil, let path = record.facts.destination, let holder = try destinationHolder(path),
            holder != record.id
        else { return record }
        var record = record
        record.facts.destination = nil
        return record
    }

    // MARK: Many transfers

    /// Suspends a session's running and waiting transfers, and appends their events.
    package func suspend(
        _ ids: [TransferID], of session: SessionID, at moment: ActiveTime.Instant
    ) throws(ServiceError) -> EventRun {
        let changes = try change(.pause, ids, of: session, BulkCommandSituation(moment))
        return try appendEvents(kind: .suspended, at: moment.wall, ids: changes.changed, session: session)
    }

    /// Starts a session's suspended, failed, canceled and delayed transfers, and appends their events.
    ///
    /// A finished transfer whose secrets were forgotten does not start.
    /// - Parameter gone: Succeeded transfers whose files are missing, with the success that was examined. They are
    ///   fetched again unless another success has replaced it.
    package func begin(
        _ ids: [TransferID], of session: SessionID, _ circumstances: BulkCommandSituation,
        gone: [TransferID: Outcome] = [:]
    ) throws(ServiceError) -> BegunTransfers {
        let changes = try change(.start, ids, of: session, circumstances)
        var begun = changes.changed
        // Succeeded transfers and those being removed are refused too, which is not an error.
        var lacking = changes.refused.filter { $0.error.code == .authRequired }.map(\.id)
        var postponed = changes.postponed
        for (id, success) in gone {
            guard let record = try record(id), record.request.session == session, record.outcome == success
            else { continue }
            var machine = TransferMachine(record)
            switch machine.perform(.fetchAgain, at: circumstances.moment(of: id)) {
            case .enqueue:
                try update(withFreeDestination(machine.record))
                begun.append(id)
            case .refuse: lacking.append(id)
            case .postpone: postponed.append(id)
            case .none, .stop, .rest, .finish, .forget: continue
            }
        }
        begun.sort()
        let events = try appendEvents(
            kind: .resumed, at: circumstances.now.wall, ids: begun, session: session)
        return BegunTransfers(events: events, lacking: lacking.sorted(), postponed: postponed.sorted())
    }

    /// Deletes a session's transfers that have nothing on disk, appends their events, and marks the others for removal.
    ///
    /// - Parameters:
    ///   - intent: `remove`, which keeps finished files, or `removeWithFile`.
    ///   - sparesSucceeded: Whether succeeded transfers are left as they are.
    ///   - live: Transfers that may be writing.
    /// - Returns: The events, and the transfers still to be cleaned up.
    package func remove(
        _ ids: [TransferID], of session: SessionID, intent: TransferIntent, sparesSucceeded: Bool,
        live: Set<TransferID>, at now: Date
    ) throws(ServiceError) -> (removed: EventRun, begun: [TransferID]) {
        // The active time of a removed transfer does not matter.
        var circumstances = BulkCommandSituation(ActiveTime.Instant(wall: now, boot: nil, uptime: 0))
        circumstances.running = live
        let command = TransferCommand.forget(file: intent == .removeWithFile, sparesSucceeded: sparesSucceeded)
        let changes = try change(command, ids, of: session, circumstances)
        return (try forget(changes.forgotten, of: session, at: now), changes.changed)
    }

    /// Cancels the removal of transfers that have succeeded since.
    package func keep(_ ids: [TransferID]) throws(ServiceError) {
        for record in try records(ids) {
            var machine = TransferMachine(record)
            let now = ActiveTime.Instant(wall: record.createdAt, boot: nil, uptime: 0)
            guard machine.perform(.keep, at: CommandSituation(now: now)) == .rest else { continue }
            try update(machine.record)
        }
    }

    // MARK: One transfer

    /// Returns the current row of a record, with facts recorded since, or nil if the transfer has otherwise changed or
    /// is gone.
    package func current(_ record: TransferRecord) throws(ServiceError) -> TransferRecord? {
        guard let current = try self.record(record.id), current.revision == record.revision else { return nil }
        return current
    }

    /// Stores a changed request and keeps facts recorded since the request was read.
    ///
    /// - Returns: False, with nothing changed, if the transfer has changed since the decision. Otherwise a change
    ///   stored after completion would restore the secrets that the completion removed.
    package func put(
        _ changed: TransferRecord, replacing old: TransferRecord
    ) throws(ServiceError) -> Bool {
        guard var current = try current(old) else { return false }
        let clearsDestination = changed.facts.destination == nil && old.facts.destination != nil
        current.request = changed.request
        current.credentials = changed.credentials
        current.facts.notes += changed.facts.notes.dropFirst(old.facts.notes.count)
        if changed.request.hasOtherAddress(than: old.request) { current.retry = nil }
        if clearsDestination || changed.facts.name != old.facts.name {
            current.facts.name = nil
            current.facts.destination = nil
            current.facts.placement = nil
        }
        return try update(current)
    }

    // MARK: Each transfer

    /// Performs a command on each transfer. An unreadable transfer counts as its record says.
    ///
    /// - Parameters:
    ///   - ids: The transfers, each once.
    ///   - isSilent: Whether to append no events.
    /// - Returns: The outcomes, in order.
    package func command(
        _ command: TransferCommand, for ids: [TransferID], isSilent: Bool = false, _ situation: BulkCommandSituation
    ) throws(ServiceError) -> [(id: TransferID, outcome: CommandOutcome)] {
        let records = Dictionary(try records(ids).map { ($0.id, $0) }) { first, _ in first }
        var outcomes: [(id: TransferID, outcome: CommandOutcome)] = []
        var noted = EventPlaces()
        for id in ids {
            guard let record = records[id] else {
                outcomes.append((id, .unknown))
                continue
            }
            var machine = TransferMachine(record)
            let action = machine.perform(command, at: situation.moment(of: id))
            switch action {
            case .none: outcomes.append((id, .none(record)))
            case .postpone: outcomes.append((id, .postponed))
            case .refuse(let error): outcomes.append((id, .refused(error)))
            case .forget, .stop, .rest, .enqueue, .finish:
                var changed = machine.record
                if action != .forget {
                    changed = try withFreeDestination(changed)
                    try update(changed)
                }
                if !isSilent, let kind = command.event(of: action) {
                    noted.note(kind, of: record.request.session, at: outcomes.count)
                }
                outcomes.append((id, .done(nil, changed)))
            }
        }
        for (kind, session, places) in noted.all {
            let own = places.map { ids[$0] }
            let now = situation.now.wall
            let run =
                kind == .removed
                ? try forget(own, of: session, at: now)
                : try appendEvents(kind: kind, at: now, ids: own, session: session)
            for (place, event) in zip(places, run.events) {
                guard case .done(_, let record) = outcomes[place].outcome else { continue }
                outcomes[place].outcome = .done(event, record)
            }
        }
        return outcomes
    }
}

/// The transfers of a command that have an event, by its kind and session.
private struct EventPlaces {
    private struct Key: Hashable {
        let kind: TransferEvent.Kind
        let session: SessionID
    }

    private var keys: [Key] = []
    private var places: [Key: [Int]] = [:]

    mutating func note(_ kind: TransferEvent.Kind, of session: SessionID, at place: Int) {
        let key = Key(kind: kind, session: session)
        if places[key] == nil { keys.append(key) }
        places[key, default: []].append(place)
    }

    /// The places of the events, in order of the first of each kind and session.
    var all: [(TransferEvent.Kind, SessionID, [Int])] { keys.map { ($0.kind, $0.session, places[$0] ?? []) } }
}
