import FerryAPI
import FerryCore

/// The service as gateway clients may use it. Files are stored only in allowed folders, no file of the user is read or
/// sent, and calls for apps and for the daemon itself are not offered.
///
/// Every call of a client passes here, by whatever route, and is judged by its effect (``GatewayTable``).
struct GuardedService: SessionService {
    let base: any SessionService
    /// Returns the currently allowed folders.
    let folders: @Sendable () -> AllowedFolders
    private let links = FolderLinks()

    init(base: any SessionService, folders: @escaping @Sendable () -> AllowedFolders) {
        self.base = base
        self.folders = folders
    }

    private static func notOffered() -> ServiceError {
        ServiceError(.invalidRequest, "The gateway does not offer this; use the command ferry on its machine.")
    }

    // MARK: Checked calls

    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        var refused: [Int: ServiceError] = [:]
        var accepted: [TransferRequest] = []
        let rule = GuardedRequest(folders: folders())
        for (place, request) in requests.enumerated() {
            do throws(ServiceError) { accepted.append(try rule.limited(request)) } catch { refused[place] = error }
        }
        guard !accepted.isEmpty else {
            return NumberedResults(
                results: requests.indices.compactMap { refused[$0] }.map { .refused($0) },
                after: try await base.lastEvent())
        }
        var answered = try await base.submitNumbered(accepted)
        answered.results = answered.results.map(GuardedView.of)
        guard !refused.isEmpty else { return answered }
        var rest = answered.results.makeIterator()
        answered.results = requests.indices.compactMap { place in
            refused[place].map { .refused($0) } ?? rest.next()
        }
        return answered
    }

    /// Submits a batch if all of its requests are allowed. No route leads here, but aria2's interface does.
    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        guard batch.starts == nil, case .each(let items) = batch.items else { throw Self.notOffered() }
        let rule = GuardedRequest(folders: folders())
        var limited = batch
        for (index, template) in batch.templates.enumerated() { limited.templates[index] = try rule.limited(template) }
        for item in items {
            if let folder = item.folder { try rule.folders.check(folder: folder) }
            if let name = item.name { try rule.folders.check(name: name) }
        }
        return try await base.submit(limited)
    }

    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let folders = folders()
        var change = change
        var isLimited = try GatewayTable.isLimited(change, by: GatewayTable.change)
        if let folder = change.folder { try folders.check(folder: folder) }
        if let name = change.name { try folders.check(name: name) }
        if isLimited { change.file.allowedFolders = folders }
        if let action = change.action { isLimited = try Self.isLimited(action) || isLimited }
        if isLimited { try await checkFiles(of: id, folders) }
        return GuardedView.of(try await base.change(id, change))
    }

    func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        guard try Self.isLimited(action) else { return try await base.act(action, on: selection) }
        // Each file's folder must be checked, so the transfers must be named.
        guard let ids = selection.ids else { throw Self.notOffered() }
        let folders = folders()
        var (allowed, refused): ([TransferID], [ActionResult]) = ([], [])
        for id in ids {
            do throws(ServiceError) {
                try await checkFiles(of: id, folders)
                allowed.append(id)
            } catch { refused.append(ActionResult(id: id, error: error)) }
        }
        guard !allowed.isEmpty else { return refused }
        return try await base.act(action, on: TransferSelection(ids: allowed, session: selection.session)) + refused
    }

    private static func isLimited(_ action: TransferAction) throws(ServiceError) -> Bool {
        switch GatewayTable.verdict(on: action) {
        case .offered: false
        case .inside: true
        case .refused: throw notOffered()
        }
    }

    /// Checks that a client may change a transfer's file. Another program may have submitted it with another folder.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the folder and where it leads.
    private func checkFiles(of id: TransferID, _ folders: AllowedFolders) async throws(ServiceError) {
        let transfer = try await base.transfer(id)
        // A name may lead to another folder than the request's.
        var places = [transfer.folder]
        if let path = transfer.destination, path.folderPart != transfer.folder { places.append(path.folderPart) }
        guard let found = await links.outside(places, folders) else { return }
        throw folders.refusal(of: found.folder, real: found.real)
    }

    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        _ = try GatewayTable.isLimited(change, by: GatewayTable.settings)
        return try await base.changeSettings(change)
    }

    func changeSession(
        _ id: SessionID, _ change: SessionSettingsChange
    ) async throws(ServiceError) -> SessionInfo {
        _ = try GatewayTable.isLimited(change, by: GatewayTable.session)
        return try await base.changeSession(id, change)
    }

    // MARK: Calls whose results are filtered

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        GuardedView.of(try await base.transfer(id))
    }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        var page = try await base.transfers(query)
        page.transfers = page.transfers.map(GuardedView.of)
        return page
    }

    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try await base.queue(query).map(GuardedView.of)
    }

    func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        try await Self.filtered(base.eventGroups(subscription))
    }

    private static func filtered(
        _ groups: some AsyncSequence<[TransferEvent], any Error> & Sendable
    ) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        groups.map { $0.map(GuardedView.of) }
    }

    // MARK: Forwarded calls

    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        try await base.queueCounts(of: session)
    }

    func request(of id: TransferID) async throws(ServiceError) -> ShownRequest { try await base.request(of: id) }

    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        try await base.move(id, move)
    }

    func sessions() async throws(ServiceError) -> [SessionInfo] { try await base.sessions() }

    func settings() async throws(ServiceError) -> ServiceSettings { try await base.settings() }
    func status() async throws(ServiceError) -> ServiceStatus { try await base.status() }
    func lastEvent() async throws(ServiceError) -> Int64 { try await base.lastEvent() }

    // MARK: Unsupported calls

    func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) { throw Self.notOffered() }
    /// Streams are filtered in groups only, see `eventGroups`.
    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> { throw Self.notOffered() }
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
    func renewLease(of session: SessionID, until end: Double) async throws(ServiceError) { throw Self.notOffered() }
    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) { throw Self.notOffered() }
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report { throw Self.notOffered() }
}
