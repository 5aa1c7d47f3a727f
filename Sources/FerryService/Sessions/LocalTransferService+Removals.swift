import FerryCore
import FerryEngine
import Foundation

/// Removing the files of canceled and removed transfers, and then the transfers.
extension LocalTransferService {
    // MARK: After an action

    /// Removes the files of canceled transfers and stores their outcomes.
    ///
    /// - Returns: The results of the transfers that ended or failed. A transfer without a result ends once its disk
    ///   responds.
    func finishCancel(_ records: [TransferRecord]) async -> [ActionResult] {
        await concurrently(records) { service, record in await service.finishCancel(record) }
    }

    private func finishCancel(_ record: TransferRecord) async -> ActionResult? {
        do throws(ServiceError) {
            guard try await finishCancel(record, within: .seconds(configuration.answerLimit)) else { return nil }
            return ActionResult(id: record.id, state: record.outcome?.state ?? .canceled)
        } catch {
            return failed(record.id, error)
        }
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
        var isInTime = true
        _ = try await finish(record) { stopped throws(ServiceError) in
            var machine = TransferMachine(stopped)
            guard case .finish(let outcome) = machine.runStopped() else { return nil }
            var ended = machine.record
            let leftovers = Leftovers(stopped)
            guard let failures = await removeLeftovers([leftovers], on: queue, within: limit) else {
                isInTime = false
                return nil
            }
            if let error = failures[leftovers.id] { throw error }
            ended.facts.partial = nil
            ended.facts.copy = nil
            ended.facts.needsTruncation = false
            return (ended, outcome)
        }
        return isInTime
    }

    /// Stores that removed transfers were canceled, and removes them with their files.
    ///
    /// - Returns: The results of all. A transfer with a state is removed once its disk responds.
    func finishRemoval(_ records: [TransferRecord]) async -> [ActionResult] {
        var results: [TransferID: ActionResult] = [:]
        for result in await concurrently(records, { service, record in await service.storeCancel(record) }) {
            results[result.id] = result
        }
        let limit = Duration.seconds(configuration.answerLimit)
        let stored = records.filter { results[$0.id] == nil }
        for (session, own) in Dictionary(grouping: stored, by: \.request.session) {
            let ids = own.map(\.id)
            for id in ids { results[id] = ActionResult(id: id) }
            let left = await finishRemovals(of: ids, in: session, sparesSucceeded: false, within: limit)
            for result in left where result.error != nil { results[result.id] = result }
            let waiting = left.filter { $0.error == nil }.map(\.id)
            for record in (try? await self.records(of: waiting)) ?? [] {
                results[record.id] = ActionResult(id: record.id, state: shown(record).state)
            }
        }
        return Array(results.values)
    }

    /// Stores that a removed transfer was canceled, if it had not ended.
    ///
    /// - Returns: The error if that failed, else `nil`.
    private func storeCancel(_ record: TransferRecord) async -> ActionResult? {
        do throws(ServiceError) {
            _ = try await finish(record) { stopped in
                var machine = TransferMachine(stopped)
                guard case .finish(let outcome) = machine.runStopped() else { return nil }
                return (machine.record, outcome)
            }
            return nil
        } catch {
            return failed(record.id, error)
        }
    }

    private func failed(_ id: TransferID, _ error: ServiceError) -> ActionResult {
        noteFailure(error)
        cleanUpLater()
        return ActionResult(id: id, error: error)
    }

    // MARK: Removal

    /// Completes removals already stored in the journal. Failed ones are retried later.
    ///
    /// - Parameter limit: How long the disk may take. `nil` waits forever.
    /// - Returns: Transfers that are not removed yet: with an error if the removal failed, with a state if the disk has
    ///   not responded.
    func finishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool, within limit: Duration? = nil
    ) async -> [ActionResult] {
        do throws(ServiceError) {
            let left = try await tryToFinishRemovals(
                of: ids, in: session, sparesSucceeded: sparesSucceeded, within: limit)
            if left.contains(where: { $0.error != nil }) { cleanUpLater() }
            return left
        } catch {
            return ids.map { failed($0, error) }
        }
    }

    private func tryToFinishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool, within limit: Duration?
    ) async throws(ServiceError) -> [ActionResult] {
        var remains = try await journal.read { reader throws(ServiceError) in try reader.remains(of: ids) }
        if sparesSucceeded {
            // A transfer that succeeded while being stopped has its own event.
            let arrived = remains.filter(\.hasSucceeded).map(\.id)
            if !arrived.isEmpty {
                try await journal.commit { transaction throws(ServiceError) in try transaction.keep(arrived) }
                remains.removeAll { arrived.contains($0.id) }
            }
        }
        return try await finishRemoval(of: remains, in: session, within: limit)
    }

    /// Removes the files of transfers at rest, then the transfers.
    ///
    /// - Parameters:
    ///   - queue: The disk queue to use. `nil` is the default one.
    ///   - limit: How long the disk may take. `nil` waits forever.
    /// - Returns: Transfers that are not removed, as in ``finishRemovals(of:in:sparesSucceeded:within:)``.
    func finishRemoval(
        of remains: [Remains], in session: SessionID, on queue: DiskQueue? = nil, within limit: Duration? = nil
    ) async throws(ServiceError) -> [ActionResult] {
        guard let failures = await removeLeftovers(remains.map(Leftovers.init), on: queue, within: limit) else {
            return remains.map { ActionResult(id: $0.id, state: $0.hasSucceeded ? .succeeded : .suspended) }
        }
        let gone = remains.map(\.id).filter { failures[$0] == nil }
        let now = clock.wall
        let removed = try await journal.commit { transaction throws(ServiceError) in
            try transaction.forget(gone, of: session, at: now)
        }
        for id in gone { forget(id, of: session) }
        take(.gone(gone))
        await hub.publish(removed)
        return failures.sorted { $0.key < $1.key }.map { ActionResult(id: $0.key, error: $0.value) }
    }

    /// Removes the leftover files of transfers.
    ///
    /// - Returns: The errors of the transfers that failed. `nil` if the disk has not responded within the limit. The
    ///   removal is then retried once it has.
    func removeLeftovers(
        _ leftovers: [Leftovers], on queue: DiskQueue?, within limit: Duration?
    ) async -> [TransferID: ServiceError]? {
        let work = Task(name: "files of transfers") { await engine.remove(leftovers, on: queue) }
        if let limit, await !Patience.wait(atMost: limit, by: clock, for: { _ = await work.value }) {
            Task(name: "files of transfers whose disk is slow") {
                _ = await work.value
                cleanUp()
            }
            return nil
        }
        // An unreadable folder contains no files known to Ferry.
        let recorded = Set(leftovers.lazy.filter(\.isRecorded).map(\.id))
        return await work.value.filter { recorded.contains($0.key) }
    }

    /// Discards the service's memory of a removed transfer.
    func forget(_ id: TransferID, of session: SessionID) {
        starting.ahead.forget(id)
        runtime.memories[session]?.forget(id)
    }
}

extension Leftovers {
    init(_ remains: Remains) {
        let request = remains.isPartialNameForeign ? nil : remains.request
        self.init(
            id: remains.id, partial: remains.partial, copy: remains.copy, placed: remains.placed,
            partialFolder: request.map { $0.partialFolder ?? Destination.folder(of: $0) })
    }

    /// Collects the files of a transfer at rest.
    ///
    /// - Parameter withFile: Whether to include its placed file. A file in the spool is always included.
    init(_ record: TransferRecord, withFile: Bool = false) {
        var placed: PlacementIntent?
        if withFile || record.request.spooled, case .succeeded(let success) = record.outcome, !success.unchanged {
            placed = record.facts.placement
        }
        let folder = record.request.partialFolder ?? Destination.folder(of: record.request)
        // A file with the usual name may be unrecorded after a crash. Skip it if it is known to belong to another
        // program.
        let mayBeUnrecorded = !record.facts.partialNameIsForeign && !(record.outcome?.state == .succeeded)
        self.init(
            id: record.id, partial: record.facts.partial, copy: record.facts.copy, placed: placed,
            partialFolder: mayBeUnrecorded ? folder : nil)
    }
}
