import FerryCore

/// The service as gateway clients may use it. Files are stored only in allowed folders, no file of the user is read or
/// sent, and calls for apps and for the daemon itself are not offered.
struct GuardedService: SessionService {
    let base: any SessionService
    /// Returns the currently allowed folders.
    let folders: @Sendable () -> AllowedFolders

    private static func notOffered() -> ServiceError {
        ServiceError(.invalidRequest, "The gateway does not offer this; use the command ferry on its machine.")
    }

    // MARK: Checked calls

    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        var refused: [Int: ServiceError] = [:]
        var accepted: [TransferRequest] = []
        let rule = GuardedRequest(folders: folders())
        for (place, request) in requests.enumerated() {
            do throws(ServiceError) {
                try rule.check(request)
                accepted.append(request)
            } catch { refused[place] = error }
        }
        guard !accepted.isEmpty else {
            return NumberedResults(
                results: requests.indices.compactMap { refused[$0] }.map { .refused($0) },
                after: try await base.lastEvent())
        }
        var answered = try await base.submitNumbered(accepted)
        guard !refused.isEmpty else { return answered }
        var rest = answered.results.makeIterator()
        answered.results = requests.indices.compactMap { place in
            refused[place].map { .refused($0) } ?? rest.next()
        }
        return answered
    }

    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let folders = folders()
        if let folder = change.folder { try folders.check(folder: folder) }
        if let name = change.name { try folders.check(name: name) }
        // Another program may have submitted the transfer with another folder. A client must not change files there.
        var harmless = TransferChange()
        harmless.action = change.action
        harmless.priority = change.priority
        harmless.rateLimit = change.rateLimit
        harmless.connections = change.connections
        if change != harmless { try folders.check(folder: try await base.transfer(id).folder) }
        return try await base.change(id, change)
    }

    func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        guard action == .removeWithFile else { return try await base.act(action, on: selection) }
        // Each file's folder must be checked, so the transfers must be named.
        guard let ids = selection.ids else { throw Self.notOffered() }
        let folders = folders()
        var (allowed, refused): ([TransferID], [ActionResult]) = ([], [])
        for id in ids {
            do throws(ServiceError) {
                try folders.check(folder: try await base.transfer(id).folder)
                allowed.append(id)
            } catch { refused.append(ActionResult(id: id, error: error)) }
        }
        guard !allowed.isEmpty else { return refused }
        return try await base.act(action, on: TransferSelection(ids: allowed, session: selection.session)) + refused
    }

    /// Clients may change speeds and numbers of connections. Disk reserve and network use are reserved for the
    /// machine's user.
    func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) { throw Self.notOffered() }

    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        guard change.reserve == nil, change.constrained == nil else { throw Self.notOffered() }
        return try await base.changeSettings(change)
    }

    // MARK: Forwarded calls

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer { try await base.transfer(id) }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        try await base.transfers(query)
    }

    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] { try await base.queue(query) }

    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        try await base.queueCounts(of: session)
    }

    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        try await base.move(id, move)
    }

    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        try await base.events(subscription)
    }

    func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        try await base.eventGroups(subscription)
    }

    func sessions() async throws(ServiceError) -> [SessionInfo] { try await base.sessions() }

    func changeSession(
        _ id: SessionID, _ change: SessionSettingsChange
    ) async throws(ServiceError) -> SessionInfo { try await base.changeSession(id, change) }

    func settings() async throws(ServiceError) -> ServiceSettings { try await base.settings() }
    func status() async throws(ServiceError) -> ServiceStatus { try await base.status() }
    func lastEvent() async throws(ServiceError) -> Int64 { try await base.lastEvent() }

    // MARK: Unsupported calls

    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { throw Self.notOffered() }
    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        throw Self.notOffered()
    }
    func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> { throw Self.notOffered() }
    func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> { throw Self.notOffered() }
    func becomeActive(_ application: String, process: Int32) async throws(ServiceError) { throw Self.notOffered() }
    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError) {
        throw Self.notOffered()
    }
    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] { throw Self.notOffered() }
    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) { throw Self.notOffered() }
    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        throw Self.notOffered()
    }
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report { throw Self.notOffered() }
}

/// Checks the requests of gateway clients.
struct GuardedRequest {
    let folders: AllowedFolders

    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the option that is not offered.
    func check(_ request: TransferRequest) throws(ServiceError) {
        try folders.check(folder: request.file.folder)
        if let name = request.file.name { try folders.check(name: name) }
        if case .file? = request.body { throw Self.refusal("does not send files of this machine") }
        if request.file.partialFolder != nil { throw Self.refusal("does not accept a folder for the partial file") }
        if request.file.spooled || request.file.continues != nil { throw Self.refusal("does not keep files for apps") }
        if request.tls.trust?.certificate != nil || request.tls.trust?.key != nil
            || request.tls.trust?.authorities.isEmpty == false
        {
            throw Self.refusal("does not read certificates for its clients")
        }
        if request.file.umask != nil { throw Self.refusal("does not set permissions") }
    }

    private static func refusal(_ what: String) -> ServiceError {
        ServiceError(.invalidRequest, "The gateway \(what).")
    }
}
