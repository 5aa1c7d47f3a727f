import FerryClient
import FerryCore
import FerryEngine
import FerryService
import Foundation
import FoundationNetworking
import Glibc
import Logging
import Synchronization

/// Runs the tasks of a background session in ferryd. Stays attached to ferryd during the session's lifetime.
final class BackgroundEngine: SessionEngine {
    struct State {
        /// The highest task identifier so far.
        var last = 0
        /// Whether the daemon has ever responded.
        var hasReached = false
        var isRestored = false
        /// Whether another process has the session and is about to release it to this process.
        var isHeld = false
        /// ferryd's records of tasks that run in this process, by task number.
        var ownRecords: [Int: TransferID] = [:]
    }

    let configuration: URLSessionConfiguration
    let transfers: SessionTransfers
    let state = Mutex(State())
    let logger = Logger(label: "ferry.session")
    /// Shared context of the data tasks, which run in this process.
    let loads: LoadPlace
    /// The session in ferryd; nil if the identifier cannot name one.
    let attached: AttachedSession?
    let service: any SessionService
    let identifier: String
    weak let session: URLSession?

    init(_ session: URLSession, configuration: URLSessionConfiguration) {
        self.session = session
        self.configuration = configuration
        let daemon = DaemonService.shared
        let service = daemon.service
        self.service = service
        identifier = configuration.identifier ?? ""
        let first = SessionAttachment(
            application: ApplicationIdentity.current, identifier: identifier, process: getpid(),
            isBackgroundLaunched: ApplicationIdentity.isBackground,
            sendsLaunchEvents: configuration.sessionSendsLaunchEvents,
            connectionsPerHost: min(max(configuration.httpMaximumConnectionsPerHost, 1), 64))
        let id = try? first.session()
        let place = TransferPlace(
            isDaemon: true, service: { service },
            folder: { $0 == .spool ? daemon.spool : LocalService.shared.folders.partials },
            folders: LocalService.shared.folders, keep: { ($0, .spool) }, mayDeliver: { await EventGate.shared.pass() })
        let mapping = TaskMapping(
            configuration, session: id ?? .cli, application: first.application, identifier: identifier)
        transfers = SessionTransfers(mapping, place: place) { [weak session] in
            guard let session else { return }
            await EventGate.shared.pass()
            await DelegateCalls(queue: session.delegateQueue).run {
                session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
            }
        }
        loads = LoadPlace(
            engine: { try await LocalService.shared.service().engine }, proxies: mapping.requests.proxies,
            trust: TrustScope(),
            folder: URL(fileURLWithPath: LocalService.shared.folders.own, isDirectory: true))
        if configuration.protocolClasses?.isEmpty == false {
            logger.warning("background sessions do not use protocolClasses")
        }
        attached = id.map { id in
            AttachedSession(
                AttachmentPlace(
                    session: id,
                    attachment: {
                        var attachment = first
                        // An app that has become active is not a launched process.
                        attachment.isBackgroundLaunched = ApplicationIdentity.isBackground
                        return attachment
                    },
                    service: { service }, attachmentLocks: daemon.attachmentLocks,
                    patience: .seconds(TransferTransport.patience),
                    executor: BlockingExecutor.shared))
        }
        if BackgroundSessions.shared.takeCall(of: identifier) { transfers.called() }
        attached?.open(for: self)
    }

    // MARK: SessionEngine

    var carriesUnresumedTasks: Bool { true }

    func nextTaskIdentifier() -> Int {
        waitUntilAttached()
        return state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    func invalidated() async {
        if state.withLock({ $0.isRestored }) { await transfers.waitUntilQuiet() }
    }

    /// Detaches from ferryd. Returns when that is done.
    func close() async { await attached?.close() }

    func ended(_ task: URLSessionTask) {
        guard let record = state.withLock({ $0.ownRecords.removeValue(forKey: task.taskIdentifier) }) else { return }
        transfers.forget(record)
    }

    /// Whether the daemon launched this process for this session.
    var isLaunchedForThis: Bool { ApplicationIdentity.launchedFor == identifier }

    /// Records that the app was called to handle the session's events in this process.
    func calledToHandleEvents() {
        _ = BackgroundSessions.shared.takeCall(of: identifier)
        transfers.called()
    }

    /// Returns once no event waits for the delegate or is being handled by it, and ferryd has acknowledged all.
    func waitUntilQuiet() async {
        await restored()
        if state.withLock({ $0.isRestored }) { await transfers.waitUntilQuiet() }
    }

    // MARK: Tasks

    func transport(for task: URLSessionTask, work: TaskWork, relay: TaskRelay) -> any TaskTransport {
        if case .impossible(let error) = work { return FailedTransport(error, relay: relay) }
        guard let request = work.request else { return FailedTransport(URLError(.badURL), relay: relay) }
        if let obstacle { return FailedTransport(URLErrorMapping.error(obstacle, url: request.url), relay: relay) }
        if let error = RequestMapping.refusal(request, configuration) { return FailedTransport(error, relay: relay) }
        do {
            return try made(task, request, work, relay)
        } catch {
            return FailedTransport(error, relay: relay)
        }
    }

    private func made(
        _ task: URLSessionTask, _ request: URLRequest, _ work: TaskWork, _ relay: TaskRelay
    ) throws -> any TaskTransport {
        let transport: TransferTransport?
        switch work {
        case .data: return recorded(task, request, relay)
        case .upload(_, .file(let file)):
            transport = try .upload(task, request, file: file, relay: relay, transfers: transfers)
        case .uploadContinuing(let data):
            transport = try .upload(task, continuing: data, relay: relay, transfers: transfers)
        case .download: transport = .download(task, request, relay: relay, transfers: transfers, continuing: nil)
        case .downloadContinuing(let data):
            transport = .download(task, data.currentRequest, relay: relay, transfers: transfers, continuing: data)
        case .upload, .stream, .impossible: transport = nil
        }
        guard let transport else { throw URLError.unusableResumeData(.empty, request.url) }
        if state.withLock(\.isHeld) {
            transport.submit { [weak self] in
                await self?.settled()
                return self?.obstacle
            }
            return transport
        }
        let isInTime = transport.commands.wait(seconds: TransferTransport.patience) { await transport.submit() }
        if !isInTime {
            transport.fail(
                URLErrorMapping.error(
                    ServiceError(.daemonUnreachable, "The daemon does not respond."), url: request.url))
        }
        return transport
    }
}
