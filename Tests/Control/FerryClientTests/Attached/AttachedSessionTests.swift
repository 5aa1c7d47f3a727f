import Dispatch
import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `An attached session` {
    private let service = AttachableService()

    private func session(_ client: ListeningClient, attachmentLocks: AttachmentLocks) throws -> AttachedSession {
        let attachment = SessionAttachment(
            application: "app", identifier: "photos", process: 1, isBackgroundLaunched: false, sendsLaunchEvents: true,
            connectionsPerHost: nil, isManager: true)
        let session = AttachedSession(
            AttachmentPlace(
                session: try attachment.session(), attachment: { attachment }, service: { [service] in service },
                attachmentLocks: attachmentLocks, patience: .seconds(5), executor: Threads.shared))
        session.open(for: client)
        return session
    }

    @Test func `gives its client the list, then the events, through restarts of the daemon`() async throws {
        let client = ListeningClient()
        let session = try session(client, attachmentLocks: AttachmentLocks())
        await session.settled()
        #expect(session.standing == .following)
        service.notify(.batch(EventBatch(kind: .suspended, through: 4, ids: [])))
        await session.streamed(through: 4)
        service.breakStream()
        try await eventually("it is attached again") { service.attachments == 2 && session.standing == .following }
        // It was not acknowledged in time, so the next daemon delivers it again.
        service.notify(.batch(EventBatch(kind: .suspended, through: 4, ids: [])))
        service.notify(.batch(EventBatch(kind: .resumed, through: 5, ids: [])))
        await session.streamed(through: 5)
        #expect(client.told == ["list", "suspended 4", "lost", "list", "resumed 5"])
        try await eventually("all is acknowledged") { service.acknowledged == 5 }
        await session.close()
    }

    @Test func `is handed over to the next object of the process when the first has left`() async throws {
        let attachmentLocks = AttachmentLocks()
        // Only this test owns them, as an engine or a manager's session has a single owner.
        let clients = (0..<3).map { _ in ListeningClient() }
        let first = try session(clients[0], attachmentLocks: attachmentLocks)
        await first.settled()
        let second = try session(clients[1], attachmentLocks: attachmentLocks)
        let third = try session(clients[2], attachmentLocks: attachmentLocks)
        // A canceled session does not delay the others.
        await second.close()
        #expect(service.attachments == 1 && third.isUnderWay)
        await first.close()
        await third.settled()
        #expect(service.attachments == 2 && third.standing == .following)
        #expect(clients.map(\.told) == [["list"], [], ["list"]])
        await third.close()
    }

    /// A regression: a transfer submitted after the list was read was taken for a removed one.
    @Test func `keeps transfers that were added while the list was read`() async throws {
        let client = ListeningClient()
        let (old, new) = (TransferID(rawValue: 1), TransferID(rawValue: 2))
        client.show(old)
        service.whenListed { client.show(new) }
        let session = try session(client, attachmentLocks: AttachmentLocks())
        await session.settled()
        #expect(client.gone == [old])
        await session.close()
    }

    /// A call may have been carried out although its response was lost with the daemon. Only the next list shows that.
    /// A regression: the call was repeated after 100 ms, and its downloads existed twice.
    @Test func `lets a call whose answer was lost wait for the next list`() async throws {
        let client = ListeningClient()
        let session = try session(client, attachmentLocks: AttachmentLocks())
        await session.settled()
        let before = session.lists
        let told = Mutex<[String]>([])
        service.whenListed { told.withLock { $0 = client.told } }
        async let isListed: Void = session.listed(after: before)
        service.breakStream()
        await isListed
        #expect(session.lists == before + 1 && client.told == ["list", "lost", "list"])
        #expect(told.withLock { $0 } == ["list", "lost"])
        await session.close()
        await session.listed(after: session.lists)
    }

    @Test func `lets callers continue when another process has it, and asks again when they do`() async throws {
        let client = ListeningClient()
        service.refuseOnce(ServiceError(.sessionInUse, "Process 7 has it."))
        let session = try session(client, attachmentLocks: AttachmentLocks())
        await session.settled()
        #expect(!session.isListed && client.told == ["refused"])
        session.openAgain()
        await session.settled()
        #expect(session.isListed && client.told == ["refused", "list"])
        await session.close()
    }
}

/// Records the events delivered to a client.
private final class ListeningClient: AttachedSessionClient {
    private let notes = Mutex<[String]>([])
    private let shown = Mutex<Set<TransferID>>([])
    private let notListed = Mutex<Set<TransferID>>([])

    var told: [String] { notes.withLock { $0 } }
    var gone: Set<TransferID> { notListed.withLock { $0 } }
    var shownTransfers: Set<TransferID> { shown.withLock { $0 } }

    func show(_ id: TransferID) { shown.withLock { _ = $0.insert(id) } }
    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    func take(_ listing: SessionListing) {
        notListed.withLock { $0 = listing.gone }
        note("list")
    }

    func take(_ signal: SessionSignal, _ place: EventNumbers.Place) {
        if case .batch(let batch) = signal { note("\(batch.kind) \(batch.through)") }
    }

    func lost() { note("lost") }
    func isRefused(_ error: ServiceError) { note("refused") }
}

/// A service with sessions to attach. Its streams break on the test's command.
private final class AttachableService: SessionService {
    private struct State {
        var stream: AsyncThrowingStream<SessionSignal, any Error>.Continuation?
        var attachments = 0
        var acknowledged: Int64 = 0
        var last: Int64 = 0
        var refusal: ServiceError?
        var whenListed: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    var attachments: Int { state.withLock(\.attachments) }
    var acknowledged: Int64 { state.withLock(\.acknowledged) }

    func whenListed(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenListed = body } }
    func refuseOnce(_ error: ServiceError) { state.withLock { $0.refusal = error } }

    func notify(_ signal: SessionSignal) {
        let stream = state.withLock { state in
            if case .batch(let batch) = signal { state.last = batch.through }
            return state.stream
        }
        stream?.yield(signal)
    }

    func breakStream() {
        state.withLock(\.stream)?.finish(throwing: ServiceError(.daemonUnreachable, "The stream broke."))
    }

    func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> {
        let refusal = state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
        if let refusal { throw refusal }
        let (stream, continuation) = AsyncThrowingStream<SessionSignal, any Error>.makeStream()
        state.withLock { state in
            state.attachments += 1
            state.stream = continuation
        }
        continuation.yield(.attached(.init(lastTask: 0, handlesEvents: false)))
        return stream
    }

    func status() async throws(ServiceError) -> ServiceStatus {
        ServiceStatus(
            version: "1", pid: 1, startedAt: .distantPast, transfers: [:], lastEvent: state.withLock(\.last),
            warnings: [])
    }

    func allTransfers(of session: SessionID) async throws(ServiceError) -> [Transfer] {
        state.withLock(\.whenListed)()
        return []
    }

    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        // The first stream is lost with its daemon.
        guard attachments > 1 else { throw ServiceError(.daemonUnreachable, "The daemon is gone.") }
        state.withLock { $0.acknowledged = max($0.acknowledged, number) }
    }

    private var unused: ServiceError { ServiceError(.internal, "No test calls this.") }
    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults { throw unused }
    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report { throw unused }
    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer { throw unused }
    func request(of id: TransferID) async throws(ServiceError) -> ShownRequest { throw unused }
    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage { throw unused }
    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] { throw unused }
    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts { throw unused }
    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? { throw unused }
    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer { throw unused }
    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult] {
        throw unused
    }
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report { throw unused }
    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { throw unused }
    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> { throw unused }
    func sessions() async throws(ServiceError) -> [SessionInfo] { throw unused }
    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo {
        throw unused
    }
    func settings() async throws(ServiceError) -> ServiceSettings { throw unused }
    func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) { throw unused }
    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings { throw unused }
    func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> { throw unused }
    func becomeActive(_ application: String, process: Int32) async throws(ServiceError) { throw unused }
    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError) {
        throw unused
    }
    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] { throw unused }
    func renewLease(of session: SessionID, until end: Double) async throws(ServiceError) { throw unused }
    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) { throw unused }
}

private final class Threads: TaskExecutor {
    static let shared = Threads()

    private let queue = DispatchQueue(label: "attached sessions")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
