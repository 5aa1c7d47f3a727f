package import FerryCore
import FerryQueue

/// Passes calls to the parts that serve them.
extension LocalTransferService: SessionService {
    // MARK: Submission

    package func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        try await parts.admission.submitNumbered(requests)
    }

    package func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        try await parts.admission.submit(batch)
    }

    // MARK: Queries

    package func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        try await parts.queries.transfer(id)
    }

    package func request(of id: TransferID) async throws(ServiceError) -> ShownRequest {
        try await parts.queries.request(of: id)
    }

    package func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        try await parts.queries.transfers(query)
    }

    package func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try await parts.queries.part(query)
    }

    package func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        try await parts.queries.queueCounts(of: session)
    }

    package func sessions() async throws(ServiceError) -> [SessionInfo] { try await parts.queries.sessions() }

    package func status() async throws(ServiceError) -> ServiceStatus { try await parts.queries.status() }

    package func obstacles(to url: String, _ policy: NetworkPolicy) async -> AsyncStream<WaitReason?> {
        await parts.obstacles.obstacles(to: url, policy)
    }

    // MARK: Actions

    package func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        try await parts.changes.change(id, change)
    }

    package func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        try await parts.actions.act(action, on: selection)
    }

    package func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report {
        try life.checkIsOpen()
        return try await parts.actions.act(action, in: session, on: ids)
    }

    package func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? {
        try await parts.handOvers.release(id)
    }

    package func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] {
        // Whatever ends the daemon also ends its apps, for example a logout (docs/behaviour/url-session.md#61).
        guard !life.isEnding else {
            throw ServiceError(.daemonUnreachable, "The daemon is shutting down; its transfers stay as they are.")
        }
        return try await parts.apps.quits.quit(selection)
    }

    // MARK: Settings

    package func settings() async throws(ServiceError) -> ServiceSettings { queue.sessions.settings }

    package func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        try await parts.settings.change(change)
    }

    package func changeSession(
        _ id: SessionID, _ change: SessionSettingsChange
    ) async throws(ServiceError) -> SessionInfo {
        try await parts.settings.change(id, change)
    }

    package func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) {
        try await parts.settings.hold(origin, seconds: seconds)
    }

    package func renewLease(of session: SessionID, until end: Double) async throws(ServiceError) {
        try await parts.settings.renewLease(of: session, until: end)
    }

    package func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {
        try await parts.settings.reorder(session, ids)
    }

    package func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        try await parts.settings.move(id, move)
    }

    // MARK: Events

    package func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        try await parts.events.events(subscription)
    }

    package func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        try await parts.events.eventGroups(subscription)
    }

    package func lastEvent() async throws(ServiceError) -> Int64 { await hub.lastNumber }

    package func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.acknowledge(session, through: number)
        }
    }

    // MARK: Apps

    package func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> {
        try await parts.apps.attachments.attach(session, attachment)
    }

    package func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> {
        try await parts.apps.connections.connect(application)
    }

    package func becomeActive(_ application: String, process: Int32) async throws(ServiceError) {
        try await parts.apps.connections.becomeActive(application, process: process)
    }

    package func registerLaunchCommand(
        _ command: LaunchCommand?, of application: String
    ) async throws(ServiceError) {
        try await parts.apps.connections.registerLaunchCommand(command, of: application)
    }
}
