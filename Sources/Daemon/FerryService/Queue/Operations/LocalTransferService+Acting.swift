import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Synchronization

/// Performing the steps of an action.
extension LocalTransferService {
    /// Performs an action.
    ///
    /// - Returns: The action with its results.
    func perform(_ act: Act) async -> Act {
        var input = Input.act(act)
        while true {
            let effects = queue.take(input, at: moment)
            perform(effects)
            guard case .act(let ticket, let step)? = effects.last else { return act }
            if case .answer(let done) = step { return done }
            let news: Act.News
            do throws(ServiceError) {
                news = try await perform(step)
            } catch {
                noteFailure(error)
                news = .failed(error)
            }
            input = .acted(news, ticket)
        }
    }

    private func perform(_ step: Act.Step) async throws(ServiceError) -> Act.News {
        switch step {
        case .cancel(let ended): return .canceled(await store(ended))
        case .inspect(let ids, let session): return .inspected(try await withoutFiles(ids, of: session))
        case .commit(let commit): return .committed(try await store(commit))
        case .publish(let committed):
            await publish(committed)
            return .published
        case .awaitReleases(let ids):
            await committed(ids)
            return .released
        case .awaitRuns(let ids): return .waited(late: await ended(ids) ? [] : Set(ids.filter(queue.isBusy)))
        case .read(let ids): return .read(try await records(of: ids))
        case .finishCancel(let records): return await inTime { await $0.finishCancel(records, $1) }
        case .finishRemoval(let records): return await inTime { await $0.finishRemoval(records, $1) }
        case .remove(let ids, let session, let sparesSucceeded):
            let done = FinishedTransfers()
            await finishRemovals(of: ids, in: session, sparesSucceeded: sparesSucceeded, done)
            return .finished(done.results.withLock { $0 })
        case .answer: return .published
        }
    }

    // MARK: Commits

    /// Stores outcomes in one transaction.
    ///
    /// - Returns: The transfers that had not changed since they were read.
    private func store(_ ended: [(record: TransferRecord, outcome: Outcome)]) async -> Set<TransferID> {
        let answers = await storeTogether(ended.map { TransferEnd($0.record, $0.outcome, at: clock.wall) })
        return Set(zip(ended, answers).compactMap { one, answer in answer.isStored ? one.record.id : nil })
    }

    /// Calls a closure for each value, all at the same time.
    ///
    /// - Returns: The results other than `nil`, in any order.
    func concurrently<Value: Sendable, Result: Sendable>(
        _ values: [Value], _ body: @escaping @Sendable (LocalTransferService, Value) async -> Result?
    ) async -> [Result] {
        await withTaskGroup(of: Result?.self) { group in
            for value in values { group.addTask { await body(self, value) } }
            var results: [Result] = []
            for await result in group { if let result { results.append(result) } }
            return results
        }
    }

    private func store(_ commit: Act.Commit) async throws(ServiceError) -> Act.Committed {
        configuration.reached(.actionBegins)
        let committed = try await journal.commit { transaction throws(ServiceError) in
            try commit.perform(in: transaction)
        }
        configuration.reached(commit.command == .cancel ? .cancelCommitted : .actionCommitted)
        for (id, session) in committed.deleted { forget(id, of: session) }
        return committed
    }

    /// Publishes the events of a command at once: the hub holds back later ones until their numbers arrive, and a run
    /// may take long to stop.
    private func publish(_ committed: Act.Committed) async {
        switch committed {
        case .each(let outcomes):
            await hub.publish(
                outcomes.compactMap { id, outcome in
                    guard case .done(let event?, let record) = outcome else { return nil }
                    return event.showing(shown(record, as: event.kind))
                })
        case .stopped(let stopped): for one in stopped { await hub.publish(one.events) }
        case .begun(let begun, _):
            await hub.publish(begun.events)
            await notifyObstacles(of: begun.events.ids)
        }
    }

    /// Returns the transfer as the event of a command shows it.
    private func shown(_ record: TransferRecord, as kind: TransferEvent.Kind) -> Transfer? {
        switch kind {
        case .removed: nil
        case .suspended: suspending(record)
        default: shown(record)
        }
    }

    /// Returns the transfer as its suspension event shows it. Its run may still be making bytes durable.
    func suspending(_ record: TransferRecord) -> Transfer {
        var shown = Transfer(record, live: .waiting(.slot))
        guard running.hasRun(record.id), let progress = attempts[record.id]?.progress else { return shown }
        shown.bytesReceived = max(shown.bytesReceived, progress.received.load(ordering: .relaxed))
        shown.bytesExpected = progress.expectedLength ?? shown.bytesExpected
        return shown
    }

    // MARK: Files

    /// Returns the succeeded transfers whose files are missing or changed.
    func withoutFiles(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) -> [TransferID: Outcome] {
        let succeeded = try await reading { reader throws(ServiceError) in
            try reader.succeeded(of: session, among: ids)
        }
        var gone: [TransferID: Outcome] = [:]
        for record in succeeded where await !placed.isIntact(record) { gone[record.id] = record.outcome }
        return gone
    }
}

extension TransferEvent {
    /// Returns this event with a snapshot of the transfer.
    fileprivate func showing(_ transfer: Transfer?) -> TransferEvent {
        var event = self
        event.transfer = transfer
        return event
    }
}
