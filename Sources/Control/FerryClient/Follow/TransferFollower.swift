package import FerryCore

/// Follows transfers until they finish, across any number of daemons.
///
/// When the stream breaks, it subscribes again after the last durable event it has seen, so that no completion is
/// missed.
package struct TransferFollower: Sendable {
    private let service: any TransferService
    /// Seconds between progress samples, or `nil` for none.
    private let progressInterval: Double?
    /// Whether only completions are delivered.
    private let endsAlone: Bool
    /// Whether successes are delivered without their transfers.
    private let omitsSuccesses: Bool
    private let sleep: @Sendable (Duration) async -> Void

    /// Number of consecutive streams that may break without progress.
    package static let maximumFailures = 5
    /// Delays between streams that end without progress, from the second on.
    private static let backoff = Backoff(first: 0.1, longest: 2)
    // With more ids, the stream covers all transfers, because the length of a request target is limited.
    private static let idsInQuery = 500

    package init(
        _ service: any TransferService, progressInterval: Double? = nil, endsAlone: Bool = false,
        omitsSuccesses: Bool = false,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.service = service
        self.progressInterval = progressInterval
        self.endsAlone = endsAlone
        self.omitsSuccesses = omitsSuccesses
        self.sleep = sleep
    }

    /// Reports updates of some transfers until all of them have finished, or of all transfers until the task is
    /// canceled.
    ///
    /// - Parameters:
    ///   - ids: The transfers, or `nil` for all.
    ///   - after: Number of a durable event before the first event of these transfers. With `nil`, their current states
    ///     are requested first.
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if more than ``maximumFailures`` streams in a row end without
    ///   progress, and `unknown_transfer` if one of at most 500 ids was unknown when their states were first requested.
    package func follow(
        _ ids: [TransferID]?, after: Int64? = nil, onUpdate: (FollowUpdate) async -> Void
    ) async throws(ServiceError) {
        var position = FollowPosition(ids: ids, last: after)
        if after == nil {
            position.last = try await service.status().lastEvent
            try await look(&position, mayBeUnknown: false, onUpdate)
        }
        var failures = 0
        while !position.isDone {
            do throws(ServiceError) {
                if failures > 0 { try await look(&position, mayBeUnknown: true, onUpdate) }
                if position.isDone { return }
                try await listen(&position, &failures, onUpdate)
                if position.isDone { return }
                failures += 1
            } catch {
                guard !Task.isCancelled, error.code == .daemonUnreachable else { throw error }
                failures += 1
                if failures > Self.maximumFailures { throw error }
                await onUpdate(.interrupted(error))
            }
            if failures > Self.maximumFailures {
                throw ServiceError(
                    .daemonUnreachable, "The daemon ended its event stream \(failures) times without progress.")
            }
            if failures > 1 { await sleep(.seconds(Self.backoff.delay(afterFailures: failures - 1))) }
            if Task.isCancelled {
                throw ServiceError(.canceled, "The caller has stopped waiting for these transfers.")
            }
        }
    }

    /// Reads one stream to its end.
    private func listen(
        _ position: inout FollowPosition, _ failures: inout Int, _ onUpdate: (FollowUpdate) async -> Void
    ) async throws(ServiceError) {
        var subscription = EventSubscription()
        subscription.after = position.last
        subscription.progressInterval = progressInterval
        subscription.endsAlone = endsAlone
        subscription.omitsSuccesses = omitsSuccesses
        if let open = position.open, open.count <= Self.idsInQuery {
            subscription.ids = open
            subscription.endsWithTransfers = true
        }
        let stream = try await service.events(subscription)
        do {
            for try await event in stream {
                switch position.take(event) {
                case .nothing: continue
                case .progress: failures = 0
                case .told: break
                }
                await onUpdate(event.kind == .removed ? .removed(event.id) : .event(event))
                if position.isDone { return }
            }
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(.daemonUnreachable, "The event stream broke: \(error)")
        }
    }

    /// Requests the states of the unfinished transfers.
    private func look(
        _ position: inout FollowPosition, mayBeUnknown: Bool, _ onUpdate: (FollowUpdate) async -> Void
    ) async throws(ServiceError) {
        guard let open = position.open else {
            guard !mayBeUnknown else { return }
            var query = TransferQuery()
            query.states = [.waiting, .running, .suspended]
            query.limit = 1000
            for transfer in try await service.transfers(query).transfers { await onUpdate(.snapshot(transfer)) }
            return
        }
        if open.count > Self.idsInQuery {
            try await findInList(&position, open, onUpdate)
            return
        }
        for id in open.sorted() {
            do throws(ServiceError) {
                let transfer = try await service.transfer(id)
                position.take(transfer)
                await onUpdate(.snapshot(transfer))
            } catch {
                guard mayBeUnknown, error.code == .unknownTransfer else { throw error }
                position.forget(id)
                await onUpdate(.removed(id))
            }
        }
    }

    /// Requests the states of very many transfers. A page of the list costs less than its transfers one by one.
    private func findInList(
        _ position: inout FollowPosition, _ open: Set<TransferID>, _ onUpdate: (FollowUpdate) async -> Void
    ) async throws(ServiceError) {
        var missing = open
        var query = TransferQuery()
        query.limit = 1000
        query.after = open.min().map { TransferID(rawValue: $0.rawValue == 0 ? 0 : $0.rawValue - 1) }
        repeat {
            let page = try await service.transfers(query)
            for transfer in page.transfers where missing.remove(transfer.id) != nil {
                position.take(transfer)
                await onUpdate(.snapshot(transfer))
            }
            query.after = try RemoteTransferService.cursor(after: query.after, is: page.next)
        } while query.after != nil && !missing.isEmpty
        for id in missing.sorted() {
            position.forget(id)
            await onUpdate(.removed(id))
        }
    }
}

/// An update for a follower of transfers.
package enum FollowUpdate: Sendable {
    /// An event of a transfer.
    case event(TransferEvent)
    /// The requested state of a transfer, at the start and after an interruption.
    case snapshot(Transfer)
    /// A transfer was removed. No further updates of it follow.
    case removed(TransferID)
    /// The daemon went away. The follower continues with the next one.
    case interrupted(ServiceError)
}
