import FerryCore
import FerryFoundation
import Synchronization

@testable import FerryCore

/// A service that keeps transfers in memory and moves no bytes.
final class FakeService: SessionService {
    private struct State {
        var transfers: [TransferID: Transfer] = [:]
        var requests: [TransferRequest] = []
        var changes: [TransferChange] = []
        var actions: [TransferAction] = []
        var orders: [SessionID: [TransferID]] = [:]
        var queries: [QueueQuery] = []
        var sessions: [SessionID: SessionSettings] = [:]
        var last: UInt64 = 0x0123_4567_89ab_0000
    }

    private let state = Mutex(State())
    private let given: [TransferEvent]
    private let refusal: ServiceError?
    private let moveRefusal: ServiceError?
    /// Events sent by a test, instead of the given ones.
    private let live: AsyncThrowingStream<TransferEvent, any Error>?

    init(
        events: [TransferEvent] = [], live: AsyncThrowingStream<TransferEvent, any Error>? = nil,
        refusal: ServiceError? = nil, moveRefusal: ServiceError? = nil
    ) {
        given = events
        self.live = live
        self.refusal = refusal
        self.moveRefusal = moveRefusal
    }

    var requests: [TransferRequest] { state.withLock(\.requests) }
    var changes: [TransferChange] { state.withLock(\.changes) }
    var queries: [QueueQuery] { state.withLock(\.queries) }
    var actions: [TransferAction] { state.withLock(\.actions) }
    var orders: [SessionID: [TransferID]] { state.withLock(\.orders) }
    var settingsOfSessions: [SessionID: SessionSettings] { state.withLock(\.sessions) }
    var all: [Transfer] { state.withLock { $0.transfers.values.sorted { $0.id < $1.id } } }

    func put(_ transfers: Transfer...) {
        state.withLock { state in for transfer in transfers { state.transfers[transfer.id] = transfer } }
    }

    /// Changes a transfer as an attempt would.
    func edit(_ id: TransferID, _ body: (inout Transfer) -> Void) {
        state.withLock { state in
            guard var transfer = state.transfers[id] else { return }
            body(&transfer)
            state.transfers[id] = transfer
        }
    }

    // MARK: TransferService

    func submit(_ requests: [TransferRequest]) async throws(ServiceError) -> [SubmissionResult] {
        state.withLock { state in
            requests.map { request in
                state.requests.append(request)
                if let refusal { return .refused(refusal) }
                let admitted: TransferRequest
                do throws(ServiceError) { admitted = try TransferAdmission.admit(request).request } catch {
                    return .refused(error)
                }
                state.last += 1
                var transfer = Transfer.sample(id: state.last, state: request.paused ? .suspended : .waiting)
                transfer.session = admitted.session
                transfer.url = admitted.url
                transfer.folder = admitted.folder
                transfer.givenName = admitted.name
                transfer.rateLimit = admitted.rateLimit
                transfer.note = admitted.note
                transfer.tags = admitted.tags
                state.transfers[transfer.id] = transfer
                return .accepted(transfer)
            }
        }
    }

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        guard let transfer = state.withLock({ $0.transfers[id] }) else { throw Self.unknown(id) }
        return transfer
    }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        let matching = state.withLock {
            $0.transfers.values.sorted { query.newestFirst ? $0.id > $1.id : $0.id < $1.id }
        }
        .filter { transfer in
            if let after = query.after, query.newestFirst ? transfer.id >= after : transfer.id <= after {
                return false
            }
            return (query.states.isEmpty || query.states.contains(transfer.state))
                && (query.session == nil || query.session == transfer.session)
                && (query.tagPrefix.map { prefix in transfer.tags.contains { $0.hasPrefix(prefix) } } ?? true)
        }
        let page = Array(matching.prefix(query.limit))
        return TransferPage(transfers: page, next: page.count < matching.count ? page.last?.id : nil)
    }

    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try query.validate()
        state.withLock { $0.queries.append(query) }
        let part = self.part(query.part, of: query.session)
        return Array((query.reversed ? part.reversed() : part).dropFirst(query.offset).prefix(query.limit))
    }

    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        QueueCounts(
            active: part(.active, of: session).count, waiting: part(.waiting, of: session).count,
            ended: part(.ended, of: session).count)
    }

    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        let session = try await transfer(id).session
        if let moveRefusal { throw moveRefusal }
        var line = part(.waiting, of: session).map(\.id)
        guard let place = line.firstIndex(of: id) else { return nil }
        let target = move.target(from: place, of: line.count, within: 0..<line.count)
        line.insert(line.remove(at: place), at: target)
        state.withLock { $0.orders[session] = line }
        return target
    }

    private func part(_ part: QueuePart, of session: SessionID?) -> [Transfer] {
        let orders = orders
        let own = all.filter { session == nil || session == $0.session }
        switch part {
        case .active: return own.filter { $0.state == .running || $0.own.isActive }
        case .ended: return own.filter { [.succeeded, .failed, .canceled].contains($0.state) }
        case .waiting:
            let line = own.filter { [.waiting, .suspended].contains($0.state) && !$0.own.isActive }
            let order = session.flatMap { orders[$0] } ?? []
            return order.compactMap { id in line.first { $0.id == id } } + line.filter { !order.contains($0.id) }
        }
    }

    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let changed = state.withLock { state -> Transfer? in
            guard var transfer = state.transfers[id] else { return nil }
            state.changes.append(change)
            if let note = change.note { transfer.note = note }
            if let rate = change.rateLimit { transfer.rateLimit = rate }
            if let url = change.url { transfer.url = url }
            if let name = change.name { transfer.givenName = name }
            state.transfers[id] = transfer
            return transfer
        }
        guard let changed else { throw Self.unknown(id) }
        return changed
    }

    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult] {
        state.withLock { state in
            state.actions.append(action)
            return (selection.ids ?? []).map { id in
                guard state.transfers[id] != nil else { return ActionResult(id: id, error: Self.unknown(id)) }
                if action == .remove {
                    state.transfers[id] = nil
                    return ActionResult(id: id)
                }
                let after: TransferState = action == .pause ? .suspended : action == .cancel ? .canceled : .waiting
                state.transfers[id]?.state = after
                state.transfers[id]?.own.isActive = false
                return ActionResult(id: id, state: after)
            }
        }
    }

    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { nil }

    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        if let live { return live }
        return AsyncThrowingStream { continuation in
            for event in given where subscription.session.map({ $0 == event.session }) ?? true {
                continuation.yield(event)
            }
            continuation.finish()
        }
    }

    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {}

    func sessions() async throws(ServiceError) -> [SessionInfo] {
        state.withLock { state in
            Set(state.transfers.values.map(\.session)).union(state.sessions.keys).map { session in
                let transfers = state.transfers.values.filter { $0.session == session }
                return SessionInfo(
                    id: session, settings: state.sessions[session] ?? SessionSettings(),
                    transfers: Self.count(transfers))
            }
        }
    }

    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo {
        let settings = (settingsOfSessions[id] ?? SessionSettings()).applying(change)
        try settings.validate()
        state.withLock { $0.sessions[id] = settings }
        return SessionInfo(id: id, settings: settings, transfers: [:])
    }

    func settings() async throws(ServiceError) -> ServiceSettings { ServiceSettings() }
    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        ServiceSettings()
    }

    func status() async throws(ServiceError) -> ServiceStatus {
        ServiceStatus(
            version: "0", pid: 1, startedAt: .distantPast, transfers: Self.count(all), lastEvent: 0, warnings: [])
    }

    private static func count(_ transfers: [Transfer]) -> [String: Int] {
        transfers.reduce(into: [:]) { $0[$1.state.rawValue, default: 0] += 1 }
    }

    private static func unknown(_ id: TransferID) -> ServiceError {
        ServiceError(.unknownTransfer, "No transfer has the id \(id).")
    }

    // MARK: SessionService

    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {
        let existing = all.filter { $0.session == session }.map(\.id)
        state.withLock { $0.orders[session] = ids.selected(from: existing) }
    }

    func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> { throw Self.unused }
    func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> { throw Self.unused }
    func becomeActive(_ application: String, process: Int32) async throws(ServiceError) { throw Self.unused }
    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError) {
        throw Self.unused
    }
    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] { throw Self.unused }
    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report { throw Self.unused }
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report { throw Self.unused }

    private static let unused = ServiceError(.internal, "No test calls this.")
}

extension Transfer {
    /// Returns a transfer of the interface's session.
    static func sample(id: UInt64, state: TransferState = .running, reason: WaitReason? = nil) -> Transfer {
        var transfer = Transfer(
            id: TransferID(rawValue: id), session: .aria2, url: "https://example.com/file.iso", state: state,
            priority: .normal, bytesReceived: 0, bytesExpected: nil, folder: "/downloads", attempts: 0,
            createdAt: Date(timeIntervalSince1970: Double(id % 1000)), rateLimit: 0, tags: [], verified: [],
            lengthVerified: true, unchanged: false, insecure: false, redirects: [], notes: [], method: "GET",
            exchanges: [], startedOver: 0)
        transfer.reason = reason ?? (state == .waiting ? .slot : nil)
        transfer.own.isActive = reason.map { WaitReason.ofActive.contains($0) } ?? false
        return transfer
    }
}

extension SessionID {
    static let aria2: SessionID = (try? SessionID("aria2")) ?? .cli
}
