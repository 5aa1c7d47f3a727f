import FerryCore
import FerryEngine
import FerryService
import Foundation
import FoundationNetworking
import Synchronization

/// The engine of a session that runs in the app. Downloads are transfers of this process's service; data and upload
/// tasks are streamed exchanges.
final class ForegroundEngine: SessionEngine {
    private let configuration: URLSessionConfiguration
    private let local: LocalService
    private let session: LocalSession
    private let transfers: SessionTransfers
    private let loads: LoadPlace
    private let last = Atomic(0)

    init(configuration: URLSessionConfiguration, local: LocalService = .shared) {
        self.configuration = configuration
        self.local = local
        let session = LocalSession(local, connectionsPerHost: configuration.httpMaximumConnectionsPerHost)
        let folders = local.folders
        let place = TransferPlace(
            isDaemon: false,
            service: { () async throws(ServiceError) in try await session.service() },
            folder: { $0 == .temporary ? folders.partials : DaemonService.shared.spool },
            folders: folders,
            keep: { source in
                var kept = source
                kept.path = try folders.keep(source.path)
                return (kept, .temporary)
            },
            mayDeliver: {})
        let mapping = TaskMapping(
            configuration, session: session.id, application: ApplicationIdentity.current, identifier: session.id.name)
        let transfers = SessionTransfers(mapping, place: place)
        session.setReceiver { [weak transfers] in transfers?.receive($0) }
        self.session = session
        self.transfers = transfers
        loads = LoadPlace(
            engine: { try await local.service().engine }, proxies: mapping.requests.proxies, trust: TrustScope(),
            folder: URL(fileURLWithPath: folders.own, isDirectory: true),
            obstacles: { try await local.service().obstacles(to: $0, $1) })
        DispatchQueue.global(qos: .utility).async { folders.sweep() }
    }

    deinit { session.close() }

    func nextTaskIdentifier() -> Int { last.add(1, ordering: .relaxed).newValue }
    var carriesUnresumedTasks: Bool { false }
    func restored() async {}

    func invalidated() async {
        await transfers.waitUntilQuiet()
        session.close()
    }

    func ended(_ task: URLSessionTask) { local.setAdvisor(nil, for: task.taskIdentifier, of: session.id) }

    func transport(for task: URLSessionTask, work: TaskWork, relay: TaskRelay) -> any TaskTransport {
        transport(for: task, work: work, relay: relay, after: ProtocolRedirects())
    }

    private func transport(
        for task: URLSessionTask, work: TaskWork, relay: TaskRelay, after redirects: ProtocolRedirects
    ) -> any TaskTransport {
        if case .impossible(let error) = work { return FailedTransport(error, relay: relay) }
        if case .stream(let host, let port) = work {
            return StreamTransport(host, port: port, configuration: configuration, place: loads, relay: relay)
        }
        guard let request = work.request else { return FailedTransport(URLError(.badURL), relay: relay) }
        let isDownload = task is URLSessionDownloadTask
        if let kind = protocolClass(for: task, request, of: relay.session) {
            guard local.folders.areOpen() else { return Self.unusableFolders(request, relay) }
            return ProtocolTransport(kind, isDownload: isDownload, folder: loads.folder, relay: relay) { [self] next in
                let redirects = redirects.adding(next.url, after: request.url)
                if let error = redirects.error { return FailedTransport(error, relay: relay) }
                return transport(for: task, work: work.redirected(to: next), relay: relay, after: redirects)
            }
        }
        if let error = redirects.errorWithoutClass { return FailedTransport(error, relay: relay) }
        if let url = request.url, LocalResourceTransport.carries(url) {
            guard local.folders.areOpen() else { return Self.unusableFolders(request, relay) }
            return LocalResourceTransport(url, isDownload: isDownload, folder: loads.folder, relay: relay)
        }
        guard ["http", "https"].contains(request.url?.scheme?.lowercased()) else {
            return FailedTransport(URLError.failing(.unsupportedURL, request.url), relay: relay)
        }
        if !work.isData, let error = RequestMapping.refusal(request, configuration) {
            return FailedTransport(error, relay: relay)
        }
        switch work {
        case .data: return load(request, .none, relay)
        case .upload(_, .bytes(let data)): return load(request, .bytes(data), relay)
        case .upload(_, .file(let file)): return load(request, .file(file), relay)
        case .upload(_, .stream): return load(request, .stream, relay)
        case .uploadContinuing(let data):
            let body: LoadTransport.Body =
                switch data.body {
                case .bytes(let bytes): .bytes(bytes)
                case .file(let file): .file(URL(fileURLWithPath: file.path))
                }
            return load(data.originalRequest, body, relay, continuing: data)
        case .download: return download(task, request, relay)
        case .downloadContinuing(let data): return download(task, request, relay, continuing: data)
        case .impossible(let error): return FailedTransport(error, relay: relay)
        case .stream: return FailedTransport(URLError(.unknown), relay: relay)
        }
    }

    // MARK: -

    /// Returns the first of the app's protocol classes that loads the task. The classes receive the request with the
    /// session's fields.
    private func protocolClass(
        for task: URLSessionTask, _ request: URLRequest, of session: URLSession
    ) -> URLProtocol.Type? {
        let classes = session.protocolClasses
        guard !classes.isEmpty else { return nil }
        let before = task.storage.withLock { storage in
            let before = storage.requests.current
            storage.requests.current = RequestFieldMapping.adding(configuration, to: before ?? request)
            return before
        }
        if let kind = classes.first(where: { $0.canInit(with: task) }) { return kind }
        task.storage.withLock { $0.requests.current = before }
        return nil
    }

    /// Fails a task whose file would lie in a folder to which other users may have access.
    private static func unusableFolders(_ request: URLRequest, _ relay: TaskRelay) -> any TaskTransport {
        FailedTransport(URLError.failing(.cannotCreateFile, request.url), relay: relay)
    }

    private func download(
        _ task: URLSessionTask, _ request: URLRequest, _ relay: TaskRelay, continuing data: ResumeData? = nil
    ) -> any TaskTransport {
        let advisor = ClientAdvisor(relay: relay, configuration: configuration, request: request)
        let (local, session, number) = (local, session.id, task.taskIdentifier)
        local.setAdvisor(advisor, for: number, of: session)
        guard
            let transport = TransferTransport.download(
                task, task.currentRequest ?? request, relay: relay, transfers: transfers, continuing: data)
        else { return FailedTransport(URLError.unusableResumeData(.empty, request.url), relay: relay) }
        return transport
    }

    private func load(
        _ request: URLRequest, _ body: LoadTransport.Body, _ relay: TaskRelay, continuing data: UploadResumeData? = nil
    ) -> any TaskTransport {
        let (folders, session, folder) = (local.folders, relay.session, loads.folder)
        return LoadTransport(
            request, body: body, continuing: data, configuration: configuration, relay: relay, place: loads,
            makeDownload: { load, response in
                let task = session.adoptDownload(of: request)
                let relayOfDownload = TaskRelay(task, of: session)
                let download =
                    folders.areOpen() ? LoadDownload(load, response, relay: relayOfDownload, folder: folder) : nil
                let transport: any TaskTransport = download ?? Self.unusableFolders(request, relayOfDownload)
                task.storage.withLock { $0.transport = transport }
                relayOfDownload.responseKnown(response)
                await relay.becameDownload(task)
                if let download { return download.begin() }
                load.cancel()
                transport.resume()
            })
    }
}

extension URLSession {
    /// Adopts a download that was a data task and is already running.
    func adoptDownload(of request: URLRequest) -> URLSessionDownloadTask {
        let task = URLSessionDownloadTask(engine.nextTaskIdentifier(), of: self, work: .download(request))
        task.storage.withLock { $0.ledger = TaskLedger(suspends: 0, hasStarted: true) }
        registry.add(task)
        Recipients(task, self).notify((any URLSessionTaskDelegate).self) { $0.urlSession(self, didCreateTask: task) }
        return task
    }
}
