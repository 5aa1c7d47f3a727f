import FerryClient
package import FerryCore
import FerryFoundation
import Synchronization

/// The worker's session in its daemon: submits jobs as spooled transfers and follows them.
///
/// The session belongs to a manager, so the daemon keeps its transfers and events until they are removed. Calls may be
/// made from any task.
package final class LocalSession: Sendable {
    private let session: AttachedSession
    private let client: SessionFollower
    private let identifier: String
    private let scope: AddressScope
    private let service: @Sendable () async throws(ServiceError) -> any SessionService

    /// Name of the application as which the daemon knows the agent.
    package static let application = "fleet"

    /// - Parameters:
    ///   - worker: The worker's name, which is also the session's.
    ///   - slots: Maximum number of running transfers.
    ///   - scope: The addresses from which jobs may be fetched.
    ///   - service: Returns the daemon's service, after starting the daemon if necessary.
    package init(
        worker: String, slots: Int, scope: AddressScope,
        service: @escaping @Sendable () async throws(ServiceError) -> any SessionService
    ) throws(ServiceError) {
        var attachment = SessionAttachment(
            application: Self.application, identifier: worker, process: getpid(), isBackgroundLaunched: false,
            sendsLaunchEvents: false, connectionsPerHost: nil, progressInterval: 1)
        attachment.isManager = true
        let described = attachment
        identifier = worker
        self.scope = scope
        self.service = service
        client = SessionFollower(id: try attachment.session(), slots: slots)
        session = AttachedSession(
            AttachmentPlace(
                session: try attachment.session(), attachment: { described }, service: service,
                attachmentLocks: AttachmentLocks(), patience: .seconds(10), executor: globalConcurrentExecutor))
    }

    /// Attaches, and passes inputs to the agent for as long as the session is open.
    package func open(_ pass: @escaping @Sendable ([FleetAgent.Input]) -> Void) {
        // The daemon has not noticed yet that an earlier agent of this worker is gone.
        client.open(pass) { [weak session] in
            Task(name: "another attachment") {
                try? await Task.sleep(for: .seconds(1))
                session?.openAgain()
            }
        }
        session.open(for: client)
    }

    package func close() async { await session.close() }

    /// Submits jobs in one batch and returns the agent's inputs.
    package func submit(_ leases: [Lease]) async -> [FleetAgent.Input] {
        let jobs = leases.compactMap { lease in lease.limited().map { (lease, localRequest(for: lease, $0)) } }
        do throws(ServiceError) {
            let results = try await service().submit(TransferBatch(jobs.map(\.1))).results
            guard results.count == jobs.count else {
                throw ServiceError(.internal, "The daemon replied to \(results.count) of \(jobs.count) requests.")
            }
            var ids: [JobToken: TransferID] = [:]
            var refusals: [FleetAgent.Input] = []
            for ((lease, _), result) in zip(jobs, results) {
                if let id = result.id {
                    ids[lease.key.token] = id
                    client.know(id, JobReference(job: lease.key.job, token: lease.key.token))
                } else {
                    let error = result.error ?? ServiceError(.internal, "The daemon gave no result.")
                    refusals.append(.refused(lease.key.token, error))
                }
            }
            return [.submitted(ids)] + refusals
        } catch {
            // The list tells which of them the daemon has. It says no more: it is not in order with the events.
            let tokens = Set(leases.map(\.key.token))
            let found = await list()?.filter { tokens.contains($0.job.token) } ?? []
            return [.submissionLost(leases.map(\.key.token), found)]
        }
    }

    /// Reads the list, until the daemon answers. `nil` if the task was canceled.
    private func list() async -> [LocalTransfer]? {
        while !Task.isCancelled {
            if let transfers = try? await service().allTransfers(of: client.id) { return client.locals(transfers) }
            try? await Task.sleep(for: .milliseconds(500))
        }
        return nil
    }

    private func localRequest(for lease: Lease, _ request: TransferRequest) -> TransferRequest {
        var request = request
        request.session = client.id
        request.file.folder = ""
        request.file.name = nil
        request.file.spooled = true
        request.file.onConflict = .unique
        // Another worker may have room.
        request.file.onFullDisk = .fail
        request.timing.paused = false
        if lease.isLimited { request.transport.connections = 1 }
        request.transport.network.needsLease = lease.isLimited
        request.transport.addressScope = max(request.transport.addressScope, scope)
        request.note = note(JobReference(job: lease.key.job, token: lease.key.token), isLimited: lease.isLimited)
        return request
    }

    private func note(_ job: JobReference, isLimited: Bool) -> ClientNote {
        ClientNote(
            application: Self.application, identifier: identifier, task: 0, kind: .download,
            data: JobNote(job: job.job, token: job.token, isLimited: isLimited).text)
    }

    /// Removes transfers and returns the agent's inputs. Repeats the call until all are gone.
    package func remove(_ ids: [TransferID]) async -> [FleetAgent.Input] {
        var rest = ids
        while !Task.isCancelled {
            if let report = try? await service().act(.remove, in: client.id, on: TransferIDRuns(rest)) {
                rest = report.failures.filter { $0.error?.code != .unknownTransfer }.compactMap(\.id)
                if rest.isEmpty { break }
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
        return ids.map { .removed($0) }
    }

    /// Limits a transfer to one connection and to the session's lease. Its server was limited after it was submitted.
    package func limit(_ id: TransferID, _ job: JobReference) async {
        var change = TransferChange()
        change.network = NetworkPolicy(needsLease: true)
        change.connections = 1
        change.note = note(job, isLimited: true)
        while !Task.isCancelled {
            do throws(ServiceError) {
                _ = try await service().change(id, change)
                return
            } catch {
                // One that has ended or is gone needs no limit.
                if error.code != .daemonUnreachable { return }
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Extends the session's lease to a time in seconds since boot. Repeats the call until the daemon answers.
    package func renewLease(until end: Double) async {
        while !Task.isCancelled, WorkerClock.uptime < end {
            do throws(ServiceError) { return try await service().renewLease(of: client.id, until: end) } catch {
                if error.code != .daemonUnreachable { return }
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Holds origins in the daemon. Running transfers go on.
    package func hold(_ holds: [Heartbeat.Hold]) async {
        for hold in holds {
            guard let url = try? HTTPURL(parsing: hold.origin) else { continue }
            try? await service().hold(url.origin, seconds: min(max(hold.seconds, 0), 3600))
        }
    }
}

/// The job of a transfer, stored in the transfer's note.
struct JobNote: Hashable {
    var job: JobID
    var token: JobToken
    /// Whether the transfer runs only under the lease of its session.
    var isLimited: Bool

    private static let limited = "limited"

    var text: String { "\(job) \(token)" + (isLimited ? " " + Self.limited : "") }

    init(job: JobID, token: JobToken, isLimited: Bool) {
        self.job = job
        self.token = token
        self.isLimited = isLimited
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2 || parts.count == 3 && parts[2] == Self.limited, let job = JobID(String(parts[0])),
            let token = JobToken(parts[1])
        else { return nil }
        self.init(job: job, token: token, isLimited: parts.count == 3)
    }
}

/// Turns the session's list and events into inputs of the agent.
private final class SessionFollower: AttachedSessionClient {
    private struct State {
        var references: [TransferID: JobReference] = [:]
        var pass: (@Sendable ([FleetAgent.Input]) -> Void)?
        var refused: (@Sendable () -> Void)?
    }

    let id: SessionID
    private let slots: Int
    private let state = Mutex(State())

    init(id: SessionID, slots: Int) {
        self.id = id
        self.slots = slots
    }

    func open(_ pass: @escaping @Sendable ([FleetAgent.Input]) -> Void, refused: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.pass = pass
            state.refused = refused
        }
    }

    func know(_ id: TransferID, _ job: JobReference) { state.withLock { $0.references[id] = job } }

    /// The transfers of jobs. Others of the session are not the agent's.
    func locals(_ transfers: [Transfer]) -> [LocalTransfer] { transfers.compactMap { local($0) } }

    private func local(_ transfer: Transfer) -> LocalTransfer? {
        guard let note = transfer.note.flatMap({ JobNote($0.data) }) else { return nil }
        let job = JobReference(job: note.job, token: note.token)
        know(transfer.id, job)
        return LocalTransfer(id: transfer.id, job: job, state: Self.state(of: transfer), isLimited: note.isLimited)
    }

    private static func state(of transfer: Transfer) -> LocalTransfer.State {
        switch transfer.state {
        case .succeeded:
            .succeeded(LocalFile(path: transfer.destination ?? "", size: transfer.bytesReceived))
        case .failed: .failed(transfer.error ?? ServiceError(.internal, "The transfer failed without an error."))
        case .canceled: .canceled
        case .suspended: .suspended
        case .waiting:
            if let next = transfer.times.nextAttempt {
                // The daemon's clock and this one's are the same machine's.
                .waiting(
                    seconds: max(0, next.timeIntervalSinceNow), received: transfer.bytesReceived, error: transfer.error)
            } else {
                .active(received: transfer.bytesReceived, expected: transfer.bytesExpected)
            }
        case .running, .unknown: .active(received: transfer.bytesReceived, expected: transfer.bytesExpected)
        }
    }

    private func send(_ inputs: [FleetAgent.Input]) {
        guard !inputs.isEmpty else { return }
        state.withLock { $0.pass }?(inputs)
    }

    // MARK: AttachedSessionClient

    var shownTransfers: Set<TransferID> { state.withLock { Set($0.references.keys) } }

    func willList(_ service: any SessionService) async throws(ServiceError) {
        var settings = SessionSettings()
        settings.activeTransfers = slots
        try await service.changeSession(id, to: settings)
        // The daemon's own limit would leave slots idle.
        guard try await service.settings().activeTransfers < slots else { return }
        var change = ServiceSettingsChange()
        change.activeTransfers = slots
        _ = try await service.changeSettings(change)
    }

    func take(_ listing: SessionListing) { send([.listed(locals(listing.transfers))]) }

    func take(_ signal: SessionSignal, _ place: EventNumbers.Place) {
        guard !place.isListed else { return }
        switch signal {
        case .event(let event):
            if event.kind == .removed {
                forget([event.id])
            } else if let transfer = event.transfer, let local = local(transfer) {
                send([.changed(local)])
            }
        case .batch(let batch):
            switch batch.kind {
            case .removed: forget(batch.ids)
            case .canceled: change(batch.ids, to: .canceled)
            case .suspended: change(batch.ids, to: .suspended)
            default: break
            }
        case .attached, .held, .idle: break
        }
    }

    private func forget(_ ids: [TransferID]) {
        let known = state.withLock { state in ids.filter { state.references.removeValue(forKey: $0) != nil } }
        send(known.map { .removed($0) })
    }

    private func change(_ ids: [TransferID], to new: LocalTransfer.State) {
        let known = state.withLock { state in
            ids.compactMap { id in state.references[id].map { LocalTransfer(id: id, job: $0, state: new) } }
        }
        send(known.map { .changed($0) })
    }

    func lost() { send([.daemonLost]) }
    func isUnreachable(_ error: ServiceError) { send([.daemonLost]) }

    func isRefused(_ error: ServiceError) {
        send([.daemonLost])
        state.withLock { $0.refused }?()
    }
}
