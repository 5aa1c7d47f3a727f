import FerryAPI
package import FerryCore
import FerryFoundation
import NIOCore

/// The daemon's service, over its socket. Starts the daemon if none responds.
package final class RemoteTransferService: SessionService {
    private let connection: DaemonConnection
    let gate: DaemonGate

    package convenience init(_ configuration: ClientConfiguration) {
        self.init(
            over: DaemonConnection(configuration),
            launcher: configuration.startsDaemon ? DaemonLauncher(configuration) : nil,
            executor: configuration.executor)
    }

    /// Creates a service. Several services may share one connection.
    init(over connection: DaemonConnection, launcher: DaemonLauncher?, executor: (any TaskExecutor)? = nil) {
        self.connection = connection
        gate = DaemonGate(connection: connection, launcher: launcher, executor: executor)
    }

    /// Ends open calls and streams. Call it once, last.
    package func shutdown() async { connection.shutdown() }

    package func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        let (results, head) = try await callLines(AddTransfers.self, try Self.lines(requests))
        guard results.count == requests.count else {
            throw ServiceError(.internal, "The daemon replied to \(results.count) of \(requests.count) requests.")
        }
        return NumberedResults(results: results, after: head.lastEvent)
    }

    package func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        try await call(GetTransfer.self, id.description)
    }

    package func request(of id: TransferID) async throws(ServiceError) -> ShownRequest {
        try await call(GetRequest.self, id.description)
    }

    package func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        try await call(ListTransfers.self, query: query.items + [ListTransfers.omitsUsual])
    }

    package func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try await call(ListQueue.self, query: query.items).transfers
    }

    package func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        try await call(CountQueue.self, query: session.map { [QueryItem("session", $0.name)] } ?? [])
    }

    package func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        try await call(MoveTransfer.self, id.description, body: move, afterLoss: move.origin != .current).place
    }

    package func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        try await call(ChangeTransfer.self, id.description, body: change)
    }

    package func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        try await call(ActOnTransfers.self, body: .init(action: action, selection: selection)).results
    }

    package func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? {
        try await call(ReleaseTransfer.self, id.description).source
    }

    package func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        let target = StreamEvents.route.target(query: subscription.items)
        return try await stream(StreamEvents.self, target)
    }

    package func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        _ = try await call(AcknowledgeEvents.self, session.name, body: .init(through: number))
    }

    package func sessions() async throws(ServiceError) -> [SessionInfo] {
        try await call(ListSessions.self)
    }

    package func changeSession(
        _ id: SessionID, _ change: SessionSettingsChange
    ) async throws(ServiceError) -> SessionInfo {
        try await call(ChangeSession.self, id.name, body: change)
    }

    package func settings() async throws(ServiceError) -> ServiceSettings {
        try await call(GetSettings.self)
    }

    package func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        try await call(ChangeSettings.self, body: change)
    }

    package func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) {
        _ = try await call(HoldOrigin.self, body: .init(origin: origin.description, seconds: seconds))
    }

    package func status() async throws(ServiceError) -> ServiceStatus {
        try await call(GetStatus.self)
    }

    package func lastEvent() async throws(ServiceError) -> Int64 {
        if let number = try await call(GetVersion.self).lastEvent { return number }
        return try await status().lastEvent
    }

    /// Requests the daemon's shutdown and returns its process id.
    func stop() async throws(ServiceError) -> Int32 {
        try await call(StopDaemon.self).pid
    }

    // MARK: Sessions

    package func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> {
        try await stream(AttachSession.self, AttachSession.route.target(session.name, query: attachment.items))
    }

    package func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> {
        let target = ConnectApplication.route.target(application.application, query: application.items)
        return try await stream(ConnectApplication.self, target)
    }

    package func becomeActive(_ application: String, process: Int32) async throws(ServiceError) {
        _ = try await call(ActivateApplication.self, application, body: .init(process: process))
    }

    package func registerLaunchCommand(
        _ command: LaunchCommand?, of application: String
    ) async throws(ServiceError) {
        _ = try await call(ChangeApplication.self, application, body: .init(launch: command))
    }

    package func renewLease(of session: SessionID, until end: Double) async throws(ServiceError) {
        _ = try await call(RenewLease.self, session.name, body: .init(until: end))
    }

    package func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {
        _ = try await call(ReorderSession.self, session.name, body: .init(order: ids))
    }

    package func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] {
        try await call(QuitSessions.self, body: .init(selection)).results
    }

    package func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        switch batch.items {
        case .lines(let urls): return try await submit(urls, of: batch.templates)
        case .each(let items):
            let report = try await call(SubmitBatch.self, body: batch, afterLoss: false)
            guard report.count == items.count else {
                throw ServiceError(.internal, "The daemon replied to \(report.count) of \(items.count) requests.")
            }
            return report
        }
    }

    private func submit(
        _ urls: URLLines, of templates: [TransferRequest]
    ) async throws(ServiceError) -> TransferBatch.Report {
        guard let template = templates.first else {
            throw ServiceError(.invalidRequest, "A batch has at least one template.")
        }
        var body = try Self.json(template)
        body.writeInteger(UInt8(ascii: "\n"))
        body.writeBytes(urls.text)
        let bytes = body
        return try await repeating(afterLoss: false) { connection throws(ConnectionFailure) in
            try await connection.call(SubmitList.self, body: bytes, type: MediaType.text)
        }
    }

    package func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report {
        try await call(ActOnSession.self, session.name, body: .init(action: action, ids: ids))
    }
}

// MARK: - Calling

extension RemoteTransferService {
    func call<E: Endpoint>(
        _ endpoint: E.Type, _ parameter: String? = nil, query: [QueryItem] = [], body: E.Request? = nil,
        afterLoss: Bool = true
    ) async throws(ServiceError) -> E.Response {
        let bytes = try body.map { body throws(ServiceError) in try Self.json(body) }
        // Calls that may be repeated after a lost connection are idempotent: the second one changes nothing more.
        return try await repeating(afterLoss: afterLoss) { connection throws(ConnectionFailure) in
            try await connection.call(endpoint, parameter, query: query, body: bytes)
        }
    }

    /// Calls an endpoint with a stream of lines as its response. The stream ends when its reader leaves.
    private func stream<E: Endpoint>(
        _ endpoint: E.Type, _ target: String
    ) async throws(ServiceError) -> AsyncThrowingStream<E.Response, any Error> {
        let reader = try await repeating { connection throws(ConnectionFailure) in
            LineReader<E.Response>(try await connection.open(E.route, target, limited: false))
        }
        return AsyncThrowingStream { try await reader.value() }
    }

    private func callLines<E: Endpoint>(
        _ endpoint: E.Type, _ body: ByteBuffer
    ) async throws(ServiceError) -> (lines: [E.Response], head: ResponseFraming.Head) {
        try await repeating(afterLoss: false) { connection throws(ConnectionFailure) in
            try await connection.callLines(endpoint, body: body)
        }
    }

    /// Makes a call. Repeats it once a daemon responds if there was none or it went away, up to four times in total.
    func repeating<Value: Sendable>(
        afterLoss: Bool = true,
        _ call: (DaemonConnection) async throws(ConnectionFailure) -> Value
    ) async throws(ServiceError) -> Value {
        var left = 3
        while true {
            let daemon = try await gate.pass()
            do throws(ConnectionFailure) {
                return try await call(connection)
            } catch {
                let mayRepeat: Bool
                switch error {
                case .noListener, .unread: mayRepeat = true
                case .lost: mayRepeat = afterLoss
                case .refused, .silent, .answered, .canceled: throw error.error
                }
                await gate.daemonWent(daemon)
                guard mayRepeat, left > 0 else { throw error.error }
                left -= 1
            }
        }
    }

    private static func json(_ value: some Encodable) throws(ServiceError) -> ByteBuffer {
        do {
            return ByteBuffer(bytes: try APIJSON.bytes(value))
        } catch {
            throw ServiceError(.invalidRequest, "The request cannot be written as JSON: \(error)")
        }
    }

    private static func lines(_ requests: [TransferRequest]) throws(ServiceError) -> ByteBuffer {
        var result = ByteBuffer()
        for request in requests {
            var line = try json(request)
            result.writeBuffer(&line)
            result.writeInteger(UInt8(ascii: "\n"))
        }
        return result
    }
}
