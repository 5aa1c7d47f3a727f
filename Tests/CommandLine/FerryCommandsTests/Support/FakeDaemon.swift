import FerryAPI
import FerryClient
import FerryCore
import Foundation
import Synchronization
@testable import FerryCore

/// An in-memory daemon. The test chooses the outcome of each submitted transfer.
final class FakeDaemon: DaemonAccess, SessionService {
    private struct State {
        var transfers: [TransferID: Transfer] = [:]
        var requests: [TransferRequest] = []
        var actions: [TransferAction] = []
        var actedOn: [TransferSelection] = []
        var changes: [TransferChange] = []
        var quits: [QuitSelection] = []
        var settings = ServiceSettings()
    }

    private let state = Mutex(State())
    /// Outcome of each URL's transfer. One without an entry never finishes.
    private let ends: [String: Result<String, ServiceError>]
    private let refusals: [String: ServiceError]
    private let isRunning: Bool
    private let warnings: [String]
    private let sessionNames: [SessionID]
    /// Transfers that succeed after they were read once.
    private let endsWhenRead: Set<TransferID>

    init(
        ends: [String: Result<String, ServiceError>] = [:], refusals: [String: ServiceError] = [:],
        isRunning: Bool = true, sessions: [SessionID] = [], warnings: [String] = [], endsWhenRead: Set<TransferID> = []
    ) {
        self.warnings = warnings
        self.endsWhenRead = endsWhenRead
        self.ends = ends
        self.refusals = refusals
        self.isRunning = isRunning
        sessionNames = sessions
    }

    var requests: [TransferRequest] { state.withLock { $0.requests } }
    var actions: [TransferAction] { state.withLock { $0.actions } }
    var actedOn: [TransferSelection] { state.withLock { $0.actedOn } }
    var changes: [TransferChange] { state.withLock { $0.changes } }
    var quits: [QuitSelection] { state.withLock { $0.quits } }

    // MARK: DaemonAccess

    var service: any SessionService { self }
    var watcher: any SessionService { self }
    func statusIfRunning() async throws(ServiceError) -> ServiceStatus? { isRunning ? try await status() : nil }
    func start() async throws(ServiceError) -> Bool { !isRunning }
    func stop() async throws(ServiceError) -> Bool { isRunning }
    func executable() throws(ServiceError) -> String { "/opt/my ferry/ferryd" }
    func run(arguments: [String]) throws(ServiceError) -> Never {
        throw ServiceError(.daemonUnreachable, "There is none.")
    }
    func close() async {}

    // MARK: TransferService

    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { nil }

    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        let last = try await lastEvent()
        let results = state.withLock { state in
            requests.map { request -> SubmissionResult in
                state.requests.append(request)
                if let error = refusals[request.url] { return .refused(error) }
                let transfer = Transfer.sample(id: UInt64(state.transfers.count + 1), url: request.url)
                state.transfers[transfer.id] = transfer
                return .accepted(transfer)
            }
        }
        return NumberedResults(results: results, after: last)
    }

    func request(of id: TransferID) async throws(ServiceError) -> ShownRequest {
        let transfer = try await transfer(id)
        return ShownRequest(TransferRequest(url: transfer.url, folder: transfer.folder))
    }

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        guard let transfer = state.withLock({ $0.transfers[id] }) else {
            throw ServiceError(.unknownTransfer, "No transfer has the id \(id).")
        }
        return transfer
    }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        let all = state.withLock { $0.transfers.values.sorted { query.newestFirst ? $0.id > $1.id : $0.id < $1.id } }
        let matching = all.filter { transfer in
            if let after = query.after, query.newestFirst ? transfer.id >= after : transfer.id <= after { return false }
            return (query.states.isEmpty || query.states.contains(transfer.state))
                && (query.session == nil || query.session == transfer.session)
                && (query.tag.map(transfer.tags.contains) ?? true)
        }
        let page = Array(matching.prefix(query.limit))
        state.withLock { state in
            for transfer in page where endsWhenRead.contains(transfer.id) {
                state.transfers[transfer.id]?.state = .succeeded
            }
        }
        return TransferPage(transfers: page, next: page.count < matching.count ? page.last?.id : nil)
    }

    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let transfer = try await transfer(id)
        state.withLock { $0.changes.append(change) }
        return transfer
    }

    /// Adds transfers that existed before the command.
    func add(_ transfers: Transfer...) {
        state.withLock { state in for transfer in transfers { state.transfers[transfer.id] = transfer } }
    }

    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult] {
        state.withLock { state in
            state.actions.append(action)
            state.actedOn.append(selection)
            return (selection.ids ?? []).map { id in
                state.transfers[id] == nil
                    ? ActionResult(id: id, error: ServiceError(.unknownTransfer, "No transfer has the id \(id)."))
                    : ActionResult(id: id, state: .suspended)
            }
        }
    }

    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        let transfers = try await transfers(TransferQuery()).transfers
        return AsyncThrowingStream { continuation in
            var number: Int64 = 0
            for var transfer in transfers {
                guard let end = ends[transfer.url] else { continue }
                number += 1
                switch end {
                case .success(let file):
                    transfer.state = .succeeded
                    transfer.destination = file
                case .failure(let error):
                    transfer.state = .failed
                    transfer.error = error
                }
                continuation.yield(
                    TransferEvent(
                        number: number, kind: transfer.state == .succeeded ? .succeeded : .failed, at: .distantPast,
                        id: transfer.id, session: transfer.session, transfer: transfer))
            }
        }
    }

    let fakeGateway = FakeGateway()
    var gateway: any GatewayControl { fakeGateway }
    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] { [] }
    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        QueueCounts(active: 0, waiting: 0, ended: 0)
    }
    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? { nil }
    func renewLease(of session: SessionID, until end: Double) async throws(ServiceError) {}
    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {}

    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {}
    func sessions() async throws(ServiceError) -> [SessionInfo] {
        sessionNames.map { SessionInfo(id: $0, settings: SessionSettings(), transfers: [:]) }
    }
    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo {
        SessionInfo(id: id, settings: SessionSettings().applying(change), transfers: [:])
    }
    func settings() async throws(ServiceError) -> ServiceSettings { state.withLock(\.settings) }
    func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) {}
    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        let changed = try await settings().applying(change)
        try changed.validate()
        state.withLock { $0.settings = changed }
        return changed
    }
    func status() async throws(ServiceError) -> ServiceStatus {
        ServiceStatus(
            version: "0.1.0", pid: 42, startedAt: .distantPast, transfers: ["running": 2], lastEvent: 0,
            warnings: warnings)
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
        state.withLock { state in
            state.quits.append(selection)
            return state.transfers.keys.sorted().map { ActionResult(id: $0, state: .canceled) }
        }
    }

    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        let requests = batch.items.each.map { item in
            var request = batch.templates[item.template]
            request.url = item.url
            return request
        }
        var report = TransferBatch.Report()
        for result in try await submit(requests) {
            switch result {
            case .accepted(let transfer): report.accept(first: transfer.id, count: 1)
            case .refused(let error): report.refuse(error)
            }
        }
        return report
    }
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report { throw Self.noSessions }

    private static let noSessions = ServiceError(.internal, "No test calls this.")
}

/// Sample transfers.
extension Transfer {
    /// Returns a running transfer with a quarter of its bytes.
    static func sample(id: UInt64 = 1, url: String = "https://example.com/file.iso") -> Transfer {
        var transfer = Transfer(
            TransferID(rawValue: id), in: .cli, url: url, state: .running, createdAt: Date(timeIntervalSince1970: 0))
        (transfer.bytesReceived, transfer.bytesExpected, transfer.bytesSpent) = (1 << 20, 4 << 20, 1 << 20)
        transfer.bytesPerSecond = 1_048_576
        transfer.folder = "/tmp"
        transfer.attempts = 1
        return transfer
    }
}
