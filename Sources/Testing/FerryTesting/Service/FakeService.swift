package import FerryCore
package import Synchronization

/// A service that keeps transfers in memory and moves no bytes.
///
/// A test gives it a state, and reads what it was asked: `service.requests`.
@dynamicMemberLookup
package final class FakeService: SessionService {
    package let state: Mutex<FakeState>
    /// Yields an element for each event stream that its listener has left.
    package let left: AsyncStream<Void>
    private let leave: AsyncStream<Void>.Continuation

    package init(_ change: (inout FakeState) -> Void = { _ in }) {
        var state = FakeState()
        change(&state)
        self.state = Mutex(state)
        (left, leave) = AsyncStream.makeStream()
    }

    /// One part of what it was asked.
    package subscript<Value: Sendable>(
        dynamicMember path: any KeyPath<FakeState.Calls, Value> & Sendable
    ) -> Value {
        state.withLock { $0.calls[keyPath: path] }
    }

    package subscript<Value: Sendable>(dynamicMember path: any KeyPath<FakeState, Value> & Sendable) -> Value {
        state.withLock { $0[keyPath: path] }
    }

    package func put(_ transfers: Transfer...) {
        state.withLock { state in for transfer in transfers { state.transfers[transfer.id] = transfer } }
    }

    /// Changes a transfer as an attempt would.
    package func edit(_ id: TransferID, _ body: (inout Transfer) -> Void) {
        state.withLock { state in
            guard var transfer = state.transfers[id] else { return }
            body(&transfer)
            state.transfers[id] = transfer
        }
    }

    static func unknown(_ id: TransferID) -> ServiceError {
        ServiceError(.unknownTransfer, "There is no transfer \(id).")
    }

    // MARK: Transfers

    package func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        let last = try await lastEvent()
        let results = state.withLock { state in
            state.calls.submissions.append(requests.count)
            state.calls.requests += requests
            return requests.map { request -> SubmissionResult in
                if let refusal = state.answers.refusal(request) { return .refused(refusal) }
                do throws(ServiceError) {
                    return .accepted(state.accept(try TransferAdmission.admit(request).request))
                } catch {
                    return .refused(error)
                }
            }
        }
        return NumberedResults(results: results, after: last)
    }

    package func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        guard let transfer = state.withLock({ $0.transfers[id] }) else { throw Self.unknown(id) }
        return transfer
    }

    package func request(of id: TransferID) async throws(ServiceError) -> ShownRequest {
        let transfer = try await transfer(id)
        return ShownRequest(TransferRequest(url: transfer.url, folder: transfer.folder))
    }

    package func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        state.withLock { state in
            state.calls.lists.append(query)
            let matching = (query.newestFirst ? state.all.reversed() : state.all).filter { query.includes($0) }
            let page = Array(matching.prefix(query.limit))
            return TransferPage(transfers: page, next: page.count < matching.count ? page.last?.id : nil)
        }
    }

    package func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let changed = state.withLock { state -> Transfer? in
            guard var transfer = state.transfers[id] else { return nil }
            state.calls.changes.append(change)
            if let note = change.note { transfer.note = note }
            if let rate = change.rateLimit { transfer.rateLimit = rate }
            if let url = change.url { transfer.url = url }
            if let name = change.name { transfer.names.given = name }
            if let priority = change.priority { transfer.priority = priority }
            state.transfers[id] = transfer
            return transfer
        }
        guard let changed else { throw Self.unknown(id) }
        return changed
    }

    package func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        state.withLock { state in
            state.calls.actions.append(action)
            let ids = selection.ids ?? state.transfers(of: selection.session).map(\.id)
            return ids.map { state.act(action, on: $0) ?? ActionResult(id: $0, error: Self.unknown($0)) }
        }
    }

    package func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { nil }

    // MARK: The queue

    package func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try query.validate()
        return state.withLock { state in
            state.calls.queries.append(query)
            let part = state.part(query.part, of: query.session)
            return Array((query.reversed ? part.reversed() : part).dropFirst(query.offset).prefix(query.limit))
        }
    }

    package func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        state.withLock { state in
            QueueCounts(
                active: state.part(.active, of: session).count, waiting: state.part(.waiting, of: session).count,
                ended: state.part(.ended, of: session).count)
        }
    }

    package func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        let session = try await transfer(id).session
        if let refusal = state.withLock(\.answers.moveRefusal) { throw refusal }
        return state.withLock { state in
            var line = state.part(.waiting, of: session).map(\.id)
            guard let place = line.firstIndex(of: id) else { return nil }
            let target = move.target(from: place, of: line.count, within: 0..<line.count)
            line.insert(line.remove(at: place), at: target)
            state.orders[session] = line
            return target
        }
    }

    // MARK: Events

    package func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        let (script, live) = state.withLock { state in
            state.calls.subscriptions.append(subscription)
            return (state.answers.nextScript(), state.answers.live)
        }
        if let live { return live }
        let (stream, continuation) = AsyncThrowingStream<TransferEvent, any Error>.makeStream()
        continuation.onTermination = { [leave] _ in leave.yield() }
        for event in script.events where subscription.session.map({ $0 == event.session }) ?? true {
            continuation.yield(event)
        }
        switch script.end {
        case .waits: if subscription.endsWithTransfers { continuation.finish() }
        case .finishes: continuation.finish()
        case .breaks: continuation.finish(throwing: ServiceError(.daemonUnreachable, "The stream broke."))
        }
        return stream
    }

    package func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        state.withLock { $0.calls.acknowledged[session] = number }
    }
}
