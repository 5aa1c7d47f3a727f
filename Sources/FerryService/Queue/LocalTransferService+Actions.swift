// Ferry: FerryService
// What users do to transfers.

package import FerryCore
import FerryEngine
import FerryStore
import Foundation

extension LocalTransferService {
    package func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(TransferError) -> [ActionResult] {
        if let ids = selection.ids {
            var results: [ActionResult] = []
            for id in ids { results.append(await perform(action, on: id)) }
            return results
        }
        return try await actOnAll(action, in: selection.session)
    }

    /// Goes through the journal page by page, so that a million transfers are no list in memory.
    private func actOnAll(_ action: TransferAction, in session: SessionID?) async throws(TransferError)
        -> [ActionResult]
    {
        var filter = JournalFilter()
        filter.session = session
        filter.limit = 500
        filter.phases = Self.phases(concernedBy: action)
        var results: [ActionResult] = []
        while true {
            let page = filter
            let records = try await noting { () async throws(TransferError) in
                try await journal.read { reader throws(TransferError) in try reader.page(page) }
            }
            for record in records { results.append(await perform(action, on: record.id)) }
            guard records.count == filter.limit, let last = records.last else { return results }
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

    private func perform(_ action: TransferAction, on id: TransferID) async -> ActionResult {
        if !turns.take(id) {
            await withCheckedContinuation { turns.wait(id, $0) }
        }
        defer {
            turns.leave(id)
            schedule()
        }
        do throws(TransferError) {
            var record = try await existing(id)
            if record.intent != .run || record.outcome != nil, let task = live[id]?.task {
                // A run that is about to end still has facts to record.
                await task.value
                record = try await existing(id)
            }
            switch action {
            case .pause: return try await pause(record)
            case .resume: return try await resume(record)
            case .cancel: return try await cancel(record)
            case .retry: return try await retry(record)
            case .remove: return try await remove(record, deletesFile: false)
            case .removeWithFile: return try await remove(record, deletesFile: true)
            }
        } catch {
            noteFailure(error)
            return ActionResult(id: id, error: error)
        }
    }

    // MARK: The actions

    private func pause(_ record: TransferRecord) async throws(TransferError) -> ActionResult {
        if let outcome = record.outcome { return ActionResult(id: record.id, state: outcome.state) }
        guard record.intent == .run else { return ActionResult(id: record.id, state: .suspended) }
        let event = try await commit(record, intent: .suspend, event: .suspended)
        leaveLine(record.id, Self.key(record))
        await stop(record.id)
        let after = try await existing(record.id)
        await hub.publish(event.showing(shown(after)))
        return ActionResult(id: record.id, state: shown(after).state)
    }

    private func resume(_ record: TransferRecord) async throws(TransferError) -> ActionResult {
        if let outcome = record.outcome { return ActionResult(id: record.id, state: outcome.state) }
        if record.intent == .run {
            // A transfer that waits for a retry tries at once.
            guard delayed[record.id] != nil else { return ActionResult(id: record.id, state: shown(record).state) }
        }
        try await begin(record)
        return ActionResult(id: record.id, state: .waiting)
    }

    private func retry(_ record: TransferRecord) async throws(TransferError) -> ActionResult {
        if case .succeeded = record.outcome {
            throw TransferError(.invalidRequest, "The transfer \(record.id) has succeeded; there is nothing to retry.")
        }
        if record.outcome == nil { return try await resume(record) }
        try await begin(record)
        return ActionResult(id: record.id, state: .waiting)
    }

    /// Lets a transfer run from what it has, its limits and delays started again (spec T12).
    private func begin(_ record: TransferRecord) async throws(TransferError) {
        let now = Date()
        var fresh = record
        fresh.intent = .run
        fresh.outcome = nil
        fresh.finishedAt = nil
        fresh.retry = nil
        fresh.facts.restarts = 0
        fresh.failures.reset(now: now)
        let begun = fresh
        let (stored, number) = try await journal.commit { transaction throws(TransferError) in
            var stored = begun
            if let path = stored.facts.destination, let holder = try transaction.destinationHolder(path),
                holder != stored.id
            {
                // Its name was taken while it had ended: the next head chooses another.
                stored.facts.destination = nil
            }
            try transaction.update(stored)
            return (
                stored,
                try transaction.appendEvent(
                    kind: .resumed, at: now, id: stored.id, session: stored.request.session, snapshot: nil)
            )
        }
        if live[record.id] == nil { enqueue(record.id, Self.key(stored)) }
        await hub.publish(
            TransferEvent(
                number: number, kind: .resumed, at: now, id: record.id, session: record.request.session,
                transfer: shown(stored)))
    }

    private func cancel(_ record: TransferRecord) async throws(TransferError) -> ActionResult {
        if let outcome = record.outcome { return ActionResult(id: record.id, state: outcome.state) }
        try await journal.commit { transaction throws(TransferError) in try transaction.setIntent(record.id, .cancel) }
        configuration.reached(.cancelCommitted)
        leaveLine(record.id, Self.key(record))
        await stop(record.id)
        let after = try await existing(record.id)
        if let outcome = after.outcome { return ActionResult(id: record.id, state: outcome.state) }
        try await finishCancel(after)
        return ActionResult(id: record.id, state: .canceled)
    }

    /// Removes what a canceled transfer has on disk and records its end.
    func finishCancel(_ record: TransferRecord) async throws(TransferError) {
        var record = record
        if let partial = record.facts.partial { try await engine.removePartialFile(partial) }
        record.facts.startOver(note: "canceled")
        record.facts.partial = nil
        record.facts.needsTruncation = false
        try await finish(record, .canceled)
    }

    private func remove(_ record: TransferRecord, deletesFile: Bool) async throws(TransferError) -> ActionResult {
        if record.outcome == nil { _ = try await cancel(record) }
        let record = try await existing(record.id)
        if let partial = record.facts.partial { try await engine.removePartialFile(partial) }
        if deletesFile, case .succeeded(let success) = record.outcome, !success.unchanged,
            let placed = record.facts.placement
        {
            try await engine.removePlacedFile(placed)
        }
        let now = Date()
        let session = record.request.session
        let number = try await journal.commit { transaction throws(TransferError) in
            try transaction.delete(record.id)
            return try transaction.appendEvent(kind: .removed, at: now, id: record.id, session: session, snapshot: nil)
        }
        digests[record.id] = nil
        await hub.publish(
            TransferEvent(number: number, kind: .removed, at: now, id: record.id, session: session, transfer: nil))
        return ActionResult(id: record.id)
    }

    /// Stops a run and waits until everything that it wrote is durable.
    func stop(_ id: TransferID) async {
        live[id]?.isStopping = true
        guard let transfer = live[id] else { return }
        await transfer.run?.stop()
        await transfer.task?.value
    }

    private func commit(
        _ record: TransferRecord, intent: TransferIntent, event kind: TransferEvent.Kind
    ) async throws(TransferError) -> TransferEvent {
        let now = Date()
        let session = record.request.session
        let number = try await journal.commit { transaction throws(TransferError) in
            try transaction.setIntent(record.id, intent)
            return try transaction.appendEvent(kind: kind, at: now, id: record.id, session: session, snapshot: nil)
        }
        return TransferEvent(number: number, kind: kind, at: now, id: record.id, session: session, transfer: nil)
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
