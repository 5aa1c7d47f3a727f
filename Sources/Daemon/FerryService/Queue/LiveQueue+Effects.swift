import FerryCore
import FerryEngine
import FerryQueue
import Foundation

/// Performing the queue's effects.
extension LiveQueue {
    /// Starts the effects of a decision. Effects that take time are performed afterwards, in order.
    func perform(_ effects: [Effect]) {
        let later = effects.filter { !begin($0) && !beginStop($0) }
        arm()
        guard !later.isEmpty else { return }
        Task(name: "effects of the queue") { await self.performInOrder(later) }
    }

    /// Performs the effects of a decision, waiting for the ones that take time.
    func performInOrder(_ effects: [Effect]) async {
        arm()
        for effect in effects where !begin(effect) {
            // Nobody waits for the effect. `WatchedJournal` notes a failure of the journal.
            try? await complete(effect)
        }
    }

    /// Performs the effects of a decision that a caller waits for.
    ///
    /// - Throws: The first ``ServiceError`` of an effect. The others are performed all the same.
    func performOrThrow(_ effects: [Effect]) async throws(ServiceError) {
        arm()
        var failure: ServiceError?
        for effect in effects where !begin(effect) {
            do throws(ServiceError) { try await complete(effect) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Begins to stop a transfer's current run. A hanging run does not delay others, and a later run is not affected.
    private func beginStop(_ effect: Effect) -> Bool {
        guard case .stop(let id, let error) = effect else { return false }
        if let run = attempts[id]?.run { Task(name: "stop of transfer \(id)") { await run.stop(with: error) } }
        return true
    }

    /// Performs an effect. Returns false if it takes time.
    private func begin(_ effect: Effect) -> Bool {
        switch effect {
        case .start(let id, let key): start(id, key)
        case .deferSchedule:
            Task(name: "free slots") {
                self.refreshNames()
                self.take(.deferredSchedule)
            }
        case .readOn(let reading): Task(name: "more of a line") { await self.read(reading) }
        case .renewConnections: engine.networkChanged()
        case .limits(let settings):
            rates.follow(settings)
            engine.budget.setLimits(perHost: settings.connectionsPerHost, total: settings.connectionsTotal)
        case .sessionLimits(let id, let settings): rates.follow(settings, of: id)
        case .freed(let ids): waiters.resume(ids)
        case .freedNew(let ids): waiters.resume(in: ids)
        case .act: break
        case .follow, .stop: return false
        default: return performer?.assumeIsolated { $0.begin(effect) } ?? true
        }
        return true
    }

    /// Performs an effect that takes time.
    private func complete(_ effect: Effect) async throws(ServiceError) {
        switch effect {
        case .follow(let id, let request): await attempts[id]?.follow(request)
        case .stop(let id, let error): await attempts[id]?.run?.stop(with: error)
        default: try await performer?.complete(effect)
        }
    }

    // MARK: Rows

    private func read(_ reading: Backlog<StoredQueueKey>.Reading) async {
        do throws(ServiceError) {
            let limit = configuration.lineWindow
            let ids = try await journal.read { reader throws(ServiceError) in
                try reader.ids(in: reading.source, after: reading.after, through: reading.through, limit: limit)
            }
            take(.read(reading, ids))
        } catch {
            take(.readingFailed)
        }
    }

    /// Queues the given transfers, which have a position in their session's order.
    func takeOrdered(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) {
        guard queue.waitingTransfers.hasBacklog(of: session) else { return }
        take(.ordering(session))
        var pending: [PendingTransfer] = []
        defer { take(.ordered(pending, session)) }
        pending = try await journal.read { reader throws(ServiceError) in try reader.pending(ids) }
    }
}
