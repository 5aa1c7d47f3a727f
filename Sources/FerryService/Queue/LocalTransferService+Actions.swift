package import FerryCore
import FerryEngine
import Foundation
import Synchronization

/// What users do to transfers.
extension LocalTransferService {
    package func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        if let ids = selection.ids { return await perform(action, on: ids) }
        return try await actOnAll(action, in: selection.session)
    }

    /// Goes through the journal page by page, so that a million transfers are no list in memory.
    private func actOnAll(_ action: TransferAction, in session: SessionID?) async throws(ServiceError)
        -> [ActionResult]
    {
        var filter = JournalFilter()
        filter.session = session
        filter.limit = 500
        filter.phases = Self.phases(concernedBy: action)
        // What runs is mostly old: stopped last, it does not hand its slot to one that is stopped next.
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

    /// Acts on transfers that were read together. What has neither a run nor a file shares reads and transactions.
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

    /// Cancels those of some transfers that have never run: there is nothing to stop, and nothing on disk.
    ///
    /// - Returns: What became of these; the others are as they were.
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
        guard case .stop = machine.perform(.cancel, at: CommandSituation(now: .now)),
            case .finish(let outcome) = machine.runStopped(), (try? await finish(machine.record, outcome)) == true
        else {
            // One that cannot be stored, or was decided from an old row, takes the usual way, from its place in line.
            let current = (try? await records(of: [record.id])) ?? [record]
            for one in current where one.isEligible { take(.resumed(one)) }
            return nil
        }
        return ActionResult(id: record.id, state: .canceled)
    }

    /// Forgets transfers at rest in one transaction.
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

    /// Acts on many transfers at a time, so that they share transactions; answers in the order of the ids.
    ///
    /// Transfers that wait come before transfers that run, so that a slot that becomes free is not given to a transfer that is
    /// to stop as well.
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
                // A run that is about to end still has facts to record; one that was left is not waited for again to stop it.
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
                // What its run has found out is stored in between.
                await attempts[id]?.task?.value
                record = try await existing(id)
            }
        } catch {
            noteFailure(error)
            return ActionResult(id: id, error: error)
        }
    }

    /// - Returns: nil, with nothing changed, if the transfer has changed since its record was read.
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
            // Its number is taken: the hub publishes no later event before this one, and a run may take long to stop.
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

    /// Stores what follows from a wish that was decided from a record, and the event that tells of it.
    private func store(_ command: TransferCommand, for record: TransferRecord) async throws(ServiceError)
        -> CommandOutcome
    {
        let (id, revision) = (record.id, record.revision)
        let moment = CommandSituation(
            now: .now, isDelayed: waitingTransfers.delay(of: id) != nil, isRunning: running.contains(id))
        return try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(command, for: id, from: revision, at: moment)
        }
    }

    /// Suspends a transfer that is about to end; its end alone is told of.
    func suspendSilently(_ record: TransferRecord) async throws(ServiceError) {
        let id = record.id
        _ = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(.pause, for: id, isSilent: true, at: CommandSituation(now: .now))
        }
    }

    static func unknown(_ id: TransferID) -> ServiceError {
        ServiceError(.unknownTransfer, "There is no transfer \(id).")
    }

    /// A transfer as the event of its suspension shows it, while its run may still be making bytes durable.
    func suspending(_ record: TransferRecord) -> Transfer {
        var shown = Transfer(record, live: .waiting(.slot))
        guard running.hasRun(record.id), let progress = attempts[record.id]?.progress else { return shown }
        shown.bytesReceived = max(shown.bytesReceived, progress.received.load(ordering: .relaxed))
        shown.bytesExpected = progress.expectedLength ?? shown.bytesExpected
        return shown
    }

    /// Lets a transfer go on, or begin again.
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
        let fate = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(.cancel, for: id, at: CommandSituation(now: .now))
        }
        guard case .done = fate else { return ActionResult(id: id, state: shown(try await existing(id)).state) }
        configuration.reached(.cancelCommitted)
        take(.rested(record))
        await stopBriefly([id])
        let after = try await existing(id)
        // Its end is recorded once its run has ended.
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

    /// Removes what a canceled transfer has on disk and records its end.
    ///
    /// - Parameters:
    ///   - queue: whose threads remove it; nil is the usual ones.
    ///   - limit: how long the disk may take; nil is for ever.
    /// - Returns: false, with nothing recorded, if the disk has not answered.
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
            // It has changed since it was read.
            let id = stopped.id
            record = try await journal.read { reader throws(ServiceError) in try reader.record(id) }
        }
        return true
    }

    /// Forgets a transfer, at once or, if its disk does not answer, when that does: the wish is in the journal first.
    private func remove(_ record: TransferRecord, deletesFile: Bool) async throws(ServiceError) -> ActionResult {
        let (id, session) = (record.id, record.request.session)
        let (intent, now) = (deletesFile ? TransferIntent.removeWithFile : .remove, Date())
        try await journal.commit { transaction throws(ServiceError) in
            // As if it were writing: it is forgotten once its files are gone, including files that were never recorded.
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
    /// How it forgets the transfer; nil if it does not.
    fileprivate var removal: TransferIntent? {
        switch self {
        case .remove: .remove
        case .removeWithFile: .removeWithFile
        case .pause, .resume, .cancel, .retry: nil
        }
    }
}

extension TransferEvent {
    /// This event with the transfer as it is shown.
    func showing(_ transfer: Transfer) -> TransferEvent {
        var event = self
        event.transfer = transfer
        return event
    }
}
