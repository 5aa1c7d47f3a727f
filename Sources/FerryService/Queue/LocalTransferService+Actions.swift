package import FerryCore
import FerryEngine
import Foundation
import Synchronization

/// Actions on transfers.
extension LocalTransferService {
    package func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        if let ids = selection.ids { return await perform(action, on: ids) }
        return try await actOnAll(action, in: selection.session)
    }

    /// Walks the journal page by page, so that a million transfers never form one list in memory.
    private func actOnAll(_ action: TransferAction, in session: SessionID?) async throws(ServiceError)
        -> [ActionResult]
    {
        var filter = JournalFilter()
        filter.session = session
        filter.limit = 500
        filter.phases = Self.phases(concernedBy: action)
        // Running transfers are mostly old. Stop them last, so that their slots do not pass to transfers about to be
        // stopped.
        filter.newestFirst = action.isStop
        var results: [ActionResult] = []
        while true {
            let page = filter
            let records = try await noting { () async throws(ServiceError) in
                try await journal.read { reader throws(ServiceError) in try reader.page(page) }
            }
            results += await perform(action, onPage: records)
            guard records.count == filter.limit, let last = records.last else {
                return action.isStop ? results.reversed() : results
            }
            filter.after = last.id
        }
    }

    private static func phases(concernedBy action: TransferAction) -> Set<JournalPhase> {
        switch action {
        case .pause: [.pending]
        case .resume: [.suspended, .pending]
        case .cancel: [.pending, .suspended, .canceling]
        case .retry: [.failed]
        case .remove, .removeWithFile: []
        }
    }

    /// Acts on one page of transfers. Transfers with neither run nor file share reads and transactions.
    private func perform(_ action: TransferAction, onPage records: [TransferRecord]) async -> [ActionResult] {
        var done: [TransferID: ActionResult] = [:]
        if action.isEnd { done = await cancelUnbegun(records) }
        if let intent = action.removal {
            let atRest = records.filter { ($0.outcome != nil || done[$0.id] != nil) && !running.contains($0.id) }
            done = [:]
            for (session, own) in Dictionary(grouping: atRest, by: \.request.session) {
                for result in await remove(together: own.map(\.id), of: session, intent) { done[result.id] = result }
            }
        }
        for result in await perform(action, on: records.map(\.id).filter { done[$0] == nil }) {
            done[result.id] = result
        }
        return records.compactMap { done[$0.id] }
    }

    /// Cancels the transfers that never ran: there is nothing to stop, and nothing on disk.
    ///
    /// - Returns: The results of the canceled transfers. The others are unchanged.
    private func cancelUnbegun(_ records: [TransferRecord]) async -> [TransferID: ActionResult] {
        let own = records.filter { record in
            record.attempts == 0 && record.outcome == nil && record.facts.partial == nil && !record.intent.endsTransfer
                && !running.contains(record.id) && locks.transfers.take(record.id)
        }
        var results: [TransferID: ActionResult] = [:]
        await withTaskGroup(of: ActionResult?.self) { group in
            for record in own { group.addTask { await self.cancelUnbegun(record) } }
            for await result in group { if let result { results[result.id] = result } }
        }
        for record in own { unlock(record.id) }
        schedule()
        return results
    }

    private func cancelUnbegun(_ record: TransferRecord) async -> ActionResult? {
        guard !running.contains(record.id) else { return nil }
        take(.rested(record))
        var machine = TransferMachine(record)
        guard case .stop = machine.perform(.cancel, at: CommandSituation(now: clock.active)),
            case .finish(let outcome) = machine.runStopped(), (try? await finish(machine.record, outcome)) == true
        else {
            // A transfer that cannot be stored, or was decided on an old row, is canceled individually, from its queue
            // position.
            let current = (try? await records(of: [record.id])) ?? [record]
            for one in current where one.isEligible { take(.resumed(one)) }
            return nil
        }
        return ActionResult(id: record.id, state: .canceled)
    }

    /// Removes transfers at rest in one transaction.
    private func remove(
        together ids: [TransferID], of session: SessionID, _ intent: TransferIntent
    ) async -> [ActionResult] {
        await lock(ids)
        defer {
            for id in ids { unlock(id) }
            schedule()
        }
        do throws(ServiceError) {
            let left = try await remove(ids, of: session, intent)
            let kept = Dictionary(left.map { ($0.id, $0) }) { first, _ in first }
            return ids.map { kept[$0] ?? ActionResult(id: $0) }
        } catch {
            noteFailure(error)
            return ids.map { ActionResult(id: $0, error: error) }
        }
    }

    /// Acts on several transfers concurrently, so that they share transactions. Results are in id order.
    ///
    /// Waiting transfers come before running ones, so that a freed slot does not go to a transfer that is to stop too.
    private func perform(_ action: TransferAction, on ids: [TransferID]) async -> [ActionResult] {
        var results: [TransferID: ActionResult] = [:]
        for part in [ids.filter { !running.contains($0) }, ids.filter(running.contains)] {
            var left = part[...]
            while !left.isEmpty {
                let some = left.prefix(128)
                left = left.dropFirst(128)
                await withTaskGroup(of: ActionResult.self) { group in
                    for id in some { group.addTask { await self.perform(action, on: id) } }
                    for await result in group { results[result.id] = result }
                }
            }
        }
        return ids.compactMap { results[$0] }
    }

    private func perform(_ action: TransferAction, on id: TransferID) async -> ActionResult {
        await lock(id)
        defer {
            unlock(id)
            schedule()
        }
        do throws(ServiceError) {
            var record = try await existing(id)
            let isDecided = record.intent != .run || record.outcome != nil
            if isDecided, !record.intent.isRemoval, let disposition = running.disposition(of: id) {
                // A run that is about to end still has facts to record. Do not wait again to stop an abandoned run.
                let hasEnded =
                    action.isStop && disposition == .isAbandoned && record.outcome == nil ? false : await endsSoon(id)
                record = try await existing(id)
                if !hasEnded, record.outcome == nil, action == .pause {
                    return ActionResult(id: id, state: shown(record).state)
                }
                guard hasEnded || action.isEnd else { throw Self.stillStopping(id) }
            }
            while true {
                if let result = try await perform(action, on: record) { return result }
                // The run's facts are stored in between.
                await attempts[id]?.task?.value
                record = try await existing(id)
            }
        } catch {
            noteFailure(error)
            return ActionResult(id: id, error: error)
        }
    }

    /// - Returns: `nil`, with nothing changed, if the transfer has changed since its record was read.
    private func perform(
        _ action: TransferAction, on record: TransferRecord
    ) async throws(ServiceError) -> ActionResult? {
        switch action {
        case .pause: try await pause(record)
        case .resume: try await begin(.resume, record)
        case .cancel: try await cancel(record)
        case .retry: try await begin(.start, record)
        case .remove: try await remove(record, deletesFile: false)
        case .removeWithFile: try await remove(record, deletesFile: true)
        }
    }

    // MARK: The actions

    private func pause(_ record: TransferRecord) async throws(ServiceError) -> ActionResult? {
        switch try await store(.pause, for: record) {
        case .done(let event, let stored):
            take(.rested(record))
            // Publish at once: the hub holds back later events until this number arrives, and a run may take long to
            // stop.
            if let event { await hub.publish(event.showing(suspending(stored))) }
            await stopBriefly([record.id])
            let after = (try? await existing(record.id)) ?? stored
            await consider(record.request.session)
            return ActionResult(id: record.id, state: shown(after).state)
        case .none(let stored): return ActionResult(id: record.id, state: shown(stored).state)
        case .stale: return nil
        case .refused(let error): throw error
        case .unknown: throw Self.unknown(record.id)
        }
    }

    /// Stores the consequences of a command decided on a record, with its event.
    private func store(_ command: TransferCommand, for record: TransferRecord) async throws(ServiceError)
        -> CommandOutcome
    {
        let (id, revision) = (record.id, record.revision)
        let moment = CommandSituation(
            now: clock.active, isDelayed: waitingTransfers.delay(of: id) != nil, isRunning: running.contains(id))
        return try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(command, for: id, from: revision, at: moment)
        }
    }

    /// Suspends a transfer that is about to finish. Only its completion is published.
    func suspendSilently(_ record: TransferRecord) async throws(ServiceError) {
        let id = record.id
        let situation = CommandSituation(now: clock.active)
        _ = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(.pause, for: id, isSilent: true, at: situation)
        }
    }

    static func unknown(_ id: TransferID) -> ServiceError {
        ServiceError(.unknownTransfer, "There is no transfer \(id).")
    }

    /// Returns the transfer as its suspension event shows it. Its run may still be making bytes durable.
    func suspending(_ record: TransferRecord) -> Transfer {
        var shown = Transfer(record, live: .waiting(.slot))
        guard running.hasRun(record.id), let progress = attempts[record.id]?.progress else { return shown }
        shown.bytesReceived = max(shown.bytesReceived, progress.received.load(ordering: .relaxed))
        shown.bytesExpected = progress.expectedLength ?? shown.bytesExpected
        return shown
    }

    /// Resumes or restarts a transfer.
    private func begin(_ command: TransferCommand, _ record: TransferRecord) async throws(ServiceError) -> ActionResult?
    {
        take(.urged(record))
        switch try await store(command, for: record) {
        case .done(let event, let stored):
            take(.resumed(stored))
            let shown = shown(stored)
            if let event { await hub.publish(event.showing(shown)) }
            return ActionResult(id: record.id, state: shown.state)
        case .none(let stored): return ActionResult(id: record.id, state: shown(stored).state)
        case .stale: return nil
        case .refused(let error): throw error
        case .unknown: throw Self.unknown(record.id)
        }
    }

    private func cancel(_ record: TransferRecord) async throws(ServiceError) -> ActionResult {
        let id = record.id
        let situation = CommandSituation(now: clock.active)
        let outcome = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(.cancel, for: id, at: situation)
        }
        guard case .done = outcome else { return ActionResult(id: id, state: shown(try await existing(id)).state) }
        configuration.reached(.cancelCommitted)
        take(.rested(record))
        await stopBriefly([id])
        let after = try await existing(id)
        // Its outcome is recorded once its run has ended.
        if running.contains(id), after.outcome == nil { return ActionResult(id: id, state: shown(after).state) }
        do throws(ServiceError) {
            guard try await finishCancel(after, within: .seconds(configuration.answerLimit)) else {
                return ActionResult(id: id, state: shown(after).state)
            }
        } catch {
            cleanUpLater()
            throw error
        }
        return ActionResult(id: id, state: after.outcome?.state ?? .canceled)
    }

    /// Removes a canceled transfer's files and records its outcome.
    ///
    /// - Parameters:
    ///   - queue: The disk queue that removes them. `nil` is the default one.
    ///   - limit: How long the disk may take. `nil` waits forever.
    /// - Returns: False, with nothing recorded, if the disk did not respond in time.
    @discardableResult
    func finishCancel(
        _ record: TransferRecord, on queue: DiskQueue? = nil, within limit: Duration? = nil
    ) async throws(ServiceError) -> Bool {
        var record: TransferRecord? = record
        while let stopped = record {
            var machine = TransferMachine(stopped)
            guard case .finish(let outcome) = machine.runStopped() else { return true }
            var ended = machine.record
            let leftovers = Leftovers(stopped)
            guard let failures = await removeLeftovers([leftovers], on: queue, within: limit) else { return false }
            if let error = failures[leftovers.id] { throw error }
            ended.facts.partial = nil
            ended.facts.copy = nil
            ended.facts.needsTruncation = false
            if try await finish(ended, outcome) { return true }
            // The record has changed since it was read.
            let id = stopped.id
            record = try await journal.read { reader throws(ServiceError) in try reader.record(id) }
        }
        return true
    }

    /// Removes a transfer, at once or, if its disk does not respond, when it does. The intent is stored in the journal
    /// first.
    private func remove(_ record: TransferRecord, deletesFile: Bool) async throws(ServiceError) -> ActionResult {
        let (id, session) = (record.id, record.request.session)
        let (intent, now) = (deletesFile ? TransferIntent.removeWithFile : .remove, clock.wall)
        try await journal.commit { transaction throws(ServiceError) in
            // Treat it as still writing: it is removed once its files are, including files that were never recorded.
            _ = try transaction.remove(
                [id], of: session, intent: intent, sparesSucceeded: false, live: [id], at: now)
        }
        configuration.reached(.actionCommitted)
        take(.rested(record))
        await stopBriefly([id])
        var after = try await existing(id)
        guard !running.contains(id) else { return ActionResult(id: id, state: shown(after).state) }
        do throws(ServiceError) {
            var machine = TransferMachine(after)
            while case .finish(let outcome) = machine.runStopped(), try await !finish(machine.record, outcome) {
                after = try await existing(id)
                machine = TransferMachine(after)
            }
        } catch {
            cleanUpLater()
            throw error
        }
        let left = try await finishRemovals(
            of: [id], in: session, sparesSucceeded: false, within: .seconds(configuration.answerLimit))
        if left.isEmpty { return ActionResult(id: id) }
        if let error = left.first?.error { throw error }
        return ActionResult(id: id, state: shown(try await existing(id)).state)
    }
}

extension TransferAction {
    /// The kind of removal, or `nil` if the action does not remove the transfer.
    fileprivate var removal: TransferIntent? {
        switch self {
        case .remove: .remove
        case .removeWithFile: .removeWithFile
        case .pause, .resume, .cancel, .retry: nil
        }
    }
}

extension TransferEvent {
    /// Returns this event with a snapshot of the transfer.
    func showing(_ transfer: Transfer) -> TransferEvent {
        var event = self
        event.transfer = transfer
        return event
    }
}
