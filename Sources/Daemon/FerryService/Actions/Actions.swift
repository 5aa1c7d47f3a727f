import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Performs actions on transfers: named ones, all, or those of a session.
actor Actions {
    let queue: LiveQueue
    let journal: any Journal
    private let hub: EventHub
    private let ends: TransferEnds
    private let removals: Removals
    private let events: LiveEvents
    private let placed: PlacedFiles
    let launches: AppLaunches
    private let configuration: ServiceConfiguration
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, hub: EventHub, ends: TransferEnds, removals: Removals,
        events: LiveEvents, placed: PlacedFiles, launches: AppLaunches, _ configuration: ServiceConfiguration
    ) {
        self.queue = queue
        self.journal = journal
        self.hub = hub
        self.ends = ends
        self.removals = removals
        self.events = events
        self.placed = placed
        self.launches = launches
        self.configuration = configuration
    }

    /// Performs an action.
    ///
    /// - Returns: The action with its results.
    func perform(_ act: Act) async -> Act {
        var input = Input.act(act)
        while let (ticket, step) = queue.nextStep(input) {
            if case .answer(let done) = step { return done }
            let news: Act.News
            do throws(ServiceError) {
                news = try await perform(step)
            } catch {
                news = .failed(error)
            }
            input = .acted(news, ticket)
        }
        return act
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
            await queue.committed(ids)
            return .released
        case .awaitRuns(let ids):
            return .waited(late: await queue.ended(ids) ? [] : Set(ids.filter(queue.isBusy)))
        case .read(let ids): return .read(try await journal.records(of: ids))
        case .finishCancel(let records): return .finished(await removals.finishCancels(records))
        case .finishRemoval(let records): return .finished(await removals.finishRemovals(records))
        case .remove(let ids, let session, let sparesSucceeded):
            return .finished(await removals.finishRemovals(of: ids, in: session, sparesSucceeded: sparesSucceeded))
        case .answer: return .published
        }
    }

    // MARK: Commits

    /// Stores outcomes in one transaction.
    ///
    /// - Returns: The transfers that had not changed since they were read.
    private func store(_ ended: [(record: TransferRecord, outcome: Outcome)]) async -> Set<TransferID> {
        let answers = await ends.store(ended.map { TransferEnd($0.record, $0.outcome, at: queue.clock.wall) })
        return Set(zip(ended, answers).compactMap { one, answer in answer.isStored ? one.record.id : nil })
    }

    private func store(_ commit: Act.Commit) async throws(ServiceError) -> Act.Committed {
        configuration.reached(.actionBegins)
        let committed = try await journal.commit { transaction throws(ServiceError) in
            try commit.perform(in: transaction)
        }
        configuration.reached(commit.command == .cancel ? .cancelCommitted : .actionCommitted)
        await removals.forget(committed.deleted)
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
            await events.notifyObstacles(of: begun.events.ids)
        }
    }

    /// Returns the transfer as the event of a command shows it.
    private func shown(_ record: TransferRecord, as kind: TransferEvent.Kind) -> Transfer? {
        switch kind {
        case .removed: nil
        case .suspended: queue.suspending(record)
        default: queue.shown(record)
        }
    }

    // MARK: Files

    /// Returns the succeeded transfers whose files are missing or changed.
    func withoutFiles(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) -> [TransferID: Outcome] {
        let succeeded = try await journal.read { reader throws(ServiceError) in
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

extension Result where Success == Bool {
    /// Whether an outcome is stored.
    fileprivate var isStored: Bool { (try? get()) == true }
}
