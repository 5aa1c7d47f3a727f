import FerryCore
import FerryServer
import Foundation
import ServiceLifecycle
import Synchronization

/// A service that keeps transfers in memory and never runs one.
final class FakeService: HostedService {
    struct State {
        var transfers: [TransferID: Transfer] = [:]
        var order: [TransferID] = []
        var queries: [TransferQuery] = []
        var subscriptions: [EventSubscription] = []
        var batches: [Int] = []
        var acknowledged: [SessionID: Int64] = [:]
        var settings = ServiceSettings()
        /// Error thrown by `status`, instead of a status.
        var failure: ServiceError?
        /// First events of each event stream.
        var events: [TransferEvent] = []
        /// Whether its shutdown waits.
        var isHeld = false
    }

    let state = Mutex(State())
    /// Yields an element for each event stream that its listener has left.
    let left: AsyncStream<Void>
    private let leave: AsyncStream<Void>.Continuation

    private let end: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation

    init() {
        (left, leave) = AsyncStream.makeStream()
        (end, ending) = AsyncStream.makeStream()
    }

    func prepareToEnd() async {}

    func run() async throws {
        try? await gracefulShutdown()
        guard state.withLock(\.isHeld) else { return }
        for await _ in end { break }
    }

    /// Keeps the service from shutting down until ``letEnd()``.
    func holdEnd() { state.withLock { $0.isHeld = true } }

    func letEnd() { ending.yield() }

    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { nil }

    func submit(_ requests: [TransferRequest]) async throws(ServiceError) -> [SubmissionResult] {
        state.withLock { state in
            state.batches.append(requests.count)
            return requests.map { request in
                guard request.folder.hasPrefix("/") else {
                    return .refused(ServiceError(.destinationUnwritable, "The folder is not absolute."))
                }
                let id = TransferID.next(after: state.order.last, milliseconds: 1_800_000_000_000)
                let transfer = Sample.transfer(id, request)
                state.transfers[id] = transfer
                state.order.append(id)
                return .accepted(transfer)
            }
        }
    }

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        guard let transfer = state.withLock({ $0.transfers[id] }) else { throw Self.unknown(id) }
        return transfer
    }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        state.withLock { state in
            state.queries.append(query)
            return TransferPage(transfers: state.order.compactMap { state.transfers[$0] }, next: nil)
        }
    }

    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try query.validate()
        return state.withLock { state in
            Array(state.order.compactMap { state.transfers[$0] }.dropFirst(query.offset).prefix(query.limit))
        }
    }

    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        QueueCounts(active: 1, waiting: session == nil ? 2 : 1, ended: 3)
    }

    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        _ = try await transfer(id)
        return move.origin == .end ? nil : move.offset
    }

    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        var transfer = try await transfer(id)
        transfer.priority = change.priority ?? transfer.priority
        state.withLock { $0.transfers[id] = transfer }
        return transfer
    }

    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult] {
        state.withLock { state in
            (selection.ids ?? state.order).map { id in
                guard state.transfers[id] != nil else { return ActionResult(id: id, error: Self.unknown(id)) }
                guard action == .remove else { return ActionResult(id: id, state: .suspended) }
                state.transfers[id] = nil
                return ActionResult(id: id)
            }
        }
    }

    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        let first = state.withLock { state in
            state.subscriptions.append(subscription)
            return state.events
        }
        let (stream, continuation) = AsyncThrowingStream<TransferEvent, any Error>.makeStream()
        let leave = leave
        continuation.onTermination = { _ in leave.yield() }
        for event in first { continuation.yield(event) }
        if subscription.endsWithTransfers { continuation.finish() }
        return stream
    }

    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {}

    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        state.withLock { $0.acknowledged[session] = number }
    }

    func sessions() async throws(ServiceError) -> [SessionInfo] {
        [SessionInfo(id: .cli, settings: SessionSettings(), transfers: ["waiting": 1])]
    }

    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo {
        SessionInfo(
            id: id, settings: SessionSettings(rateLimit: 7, hostConnections: 3).applying(change), transfers: [:])
    }

    func settings() async throws(ServiceError) -> ServiceSettings { state.withLock { $0.settings } }

    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        let next = state.withLock { $0.settings.applying(change) }
        try next.validate()
        state.withLock { $0.settings = next }
        return next
    }

    func status() async throws(ServiceError) -> ServiceStatus {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return ServiceStatus(
            version: FerryVersion.current, pid: getpid(), startedAt: Date(timeIntervalSince1970: 0), transfers: [:],
            lastEvent: 0, warnings: [])
    }

    private static func unknown(_ id: TransferID) -> ServiceError {
        ServiceError(.unknownTransfer, "There is no transfer \(id).")
    }

    // MARK: SessionService

    func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> { throw Self.noSessions }
    func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> { throw Self.noSessions }
    func becomeActive(_ application: String, process: Int32) async throws(ServiceError) { throw Self.noSessions }
    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError) {
        throw Self.noSessions
    }
    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] {
        switch selection {
        case .session: []
        case .application(let name): throw ServiceError(.invalidRequest, "No app is \(name).")
        }
    }

    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        var report = TransferBatch.Report(lastEvent: 7)
        for item in batch.items.each {
            if item.url.hasPrefix("http") {
                report.accept(first: TransferID(rawValue: UInt64(report.count + 1)), count: 1)
            } else {
                report.refuse(ServiceError(.invalidURL, "It is no URL."))
            }
        }
        return report
    }
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report {
        let failures = (ids?.ids ?? []).map { ActionResult(id: $0, error: Self.unknown($0)) }
        return SessionAction.Report(lastEvent: 8, failures: failures)
    }

    private static let noSessions = ServiceError(.internal, "No test calls this.")
}

/// Sample values.
enum Sample {
    static func transfer(_ id: TransferID, _ request: TransferRequest) -> Transfer {
        let record = TransferRecord(
            id: id, createdAt: Date(timeIntervalSince1970: 1_800_000_000), request: request, credentials: nil)
        return Transfer(record, live: .waiting(.slot))
    }

    static func event(_ number: Int64) -> TransferEvent {
        TransferEvent(
            number: number, kind: .submitted, at: Date(timeIntervalSince1970: 1_800_000_000),
            id: TransferID(rawValue: 7), session: .cli, transfer: nil)
    }
}
