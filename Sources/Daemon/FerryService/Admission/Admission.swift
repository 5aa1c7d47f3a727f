import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// A batch stored in the journal, with its transfers queued.
struct AcceptedBatch: Sendable {
    /// One result per item, in batch order.
    let results: [TransferBatch.Result]
    /// Snapshots of the transfers, if the submitter asked for them.
    let shown: [TransferID: Transfer]
    let report: TransferBatch.Report
}

/// Stores submitted requests, publishes their transfers and schedules them.
actor Admission {
    let queue: LiveQueue
    let journal: any Journal
    let hub: EventHub
    let life: ServiceLife
    let events: LiveEvents
    let actions: Actions
    private let spool: Spool
    private let launches: AppLaunches
    let configuration: ServiceConfiguration
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, hub: EventHub, life: ServiceLife, events: LiveEvents,
        actions: Actions,
        spool: Spool, launches: AppLaunches, _ configuration: ServiceConfiguration
    ) {
        self.queue = queue
        self.journal = journal
        self.hub = hub
        self.life = life
        self.events = events
        self.actions = actions
        self.spool = spool
        self.launches = launches
        self.configuration = configuration
    }

    var engine: Engine { queue.engine }

    // MARK: Submission

    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        try life.checkIsOpen()
        let last = await hub.lastNumber
        guard !requests.isEmpty else { return NumberedResults(results: [], after: last) }
        let accepted = try await accept(TransferBatch(requests), refusesPlaces: true)
        let results = accepted.results.map { result -> SubmissionResult in
            guard let id = result.id, let shown = accepted.shown[id] else {
                return .refused(result.error ?? ServiceError(.internal, "The request has no result."))
            }
            return .accepted(shown)
        }
        return NumberedResults(results: results, after: last)
    }

    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        guard let template = batch.templates.first else {
            throw ServiceError(.invalidRequest, "A batch has at least one template.")
        }
        let session = template.session
        guard batch.templates.allSatisfy({ $0.session == session }) else {
            throw ServiceError(.invalidRequest, "All templates of a batch must belong to one session.")
        }
        if case .lines(let urls) = batch.items { return try await submit(urls, of: template) }
        let starts = try await inspect(batch.starts ?? [], of: session)
        let report = try await accept(batch, starting: starts, refusesPlaces: false).report
        if starts != nil { await launches.consider(session) }
        return report
    }

    // MARK: Batches

    /// Stores a batch, publishes its transfers and schedules them.
    ///
    /// - Parameters:
    ///   - starts: The transfers to start with it.
    ///   - refusesPlaces: If true, items with a refused destination are refused, and snapshots of all others are
    ///     returned. If false, such items are stored as failed.
    private func accept(
        _ batch: TransferBatch, starting starts: BatchStarts? = nil, refusesPlaces: Bool
    ) async throws(ServiceError) -> AcceptedBatch {
        try life.checkIsOpen()
        var admitted = await AdmittedBatch(batch.items.each, of: batch.templates)
        await checkTrust(of: &admitted)
        await inspectUploads(of: &admitted)
        if admitted.hasSpooled { admitted.setFolder(try await spool.open()) }
        let places = await places(of: admitted)
        configuration.reached(.batchChecked)
        // From here on no other call gets an id between the ids of this batch.
        var drafted = drafts(of: admitted, places)
        let ids = drafted.ids
        if let ids { queue.take(.storing(ids)) }
        defer { if let ids { queue.take(.queued(ids)) } }
        await takeOverFiles(for: &drafted)
        let drafts = drafted
        let rows = try drafts.rows(for: journal)
        let session = batch.templates.first?.session
        let held = await hold(starts)
        defer { if let held { queue.take(.release(held.ids, .commit)) } }
        let stored = try await journal.commit { transaction throws(ServiceError) in
            try StoredBatch.store(drafts, rows, held, refusesPlaces: refusesPlaces, of: session, in: transaction)
        }
        configuration.reached(.requestCommitted)
        queue.enqueue(drafts.pending(without: stored.notWaiting))
        if let ids { queue.take(.queued(ids)) }
        let shown = refusesPlaces ? try shown(drafts, stored) : [:]
        await notify(of: stored.submitted, shown)
        for event in stored.ends { await hub.publish(event) }
        if let begun = stored.started { await goneOn(begun) }
        queue.schedule()
        for run in stored.submitted { await events.notifyObstacles(of: run.ids) }
        let results = drafts.results(refusing: stored.refused)
        let report = TransferBatch.Report(results, lastEvent: stored.lastEvent, failures: stored.started?.failures)
        return AcceptedBatch(results: results, shown: shown, report: report)
    }

    /// Publishes the submitted transfers.
    ///
    /// Where snapshots exist, they are published with the events. A listener reading the transfers from the journal
    /// would miss the waiting events published meanwhile.
    private func notify(of submitted: [EventRun], _ shown: [TransferID: Transfer]) async {
        for run in submitted {
            guard !shown.isEmpty else {
                await hub.publish(run)
                continue
            }
            for (place, id) in run.ids.enumerated() {
                await hub.publish(
                    TransferEvent(
                        number: run.first + Int64(place), kind: run.kind, at: run.at, id: id, session: run.session,
                        transfer: shown[id]))
            }
        }
    }

    /// Refuses the templates with unusable certificate files.
    private func checkTrust(of batch: inout AdmittedBatch) async {
        var trusted: RequestTrust?
        for (place, template) in batch.templates.enumerated() {
            // Most templates have the same trust settings as their predecessor.
            guard case .success(let request) = template, request.tls.trust != trusted, batch.needsTrust(place) else {
                continue
            }
            do throws(ServiceError) {
                try await engine.check(request.tls.trust)
                trusted = request.tls.trust
            } catch {
                batch.refuse(place, error)
            }
        }
    }

    /// Reads the attributes of the upload files that the client did not inspect.
    private func inspectUploads(of batch: inout AdmittedBatch) async {
        for (place, template) in batch.templates.enumerated() {
            guard case .file(let file) = (try? template.get())?.body, !file.isNoted else { continue }
            do throws(ServiceError) {
                batch.setBody(.file(try await UploadUpkeep(engine).inspect(at: file.path)), of: place)
            } catch {
                batch.refuse(place, error)
            }
        }
    }

    /// Checks the destinations of the accepted items, in order.
    private func places(of batch: AdmittedBatch) async -> [Result<DestinationFinding, ServiceError>] {
        let journal = journal
        var folders = FolderChecks(engine) { paths throws(ServiceError) in
            try await journal.read { reader throws(ServiceError) in try reader.held(paths) }
        }
        let items = batch.accepted
        guard batch.hasSpooled else { return await folders.check(items, of: batch) }
        // The service chooses the path of a spooled file.
        let spooled = batch.templates.map { (try? $0.get())?.file.spooled == true }
        var found = await folders.check(items.filter { !spooled[$0.template] }, of: batch).makeIterator()
        return items.map { spooled[$0.template] ? .success(.free([])) : found.next() ?? .success(.free([])) }
    }

    /// Assigns ids to the accepted items.
    private func drafts(
        of batch: AdmittedBatch, _ places: [Result<DestinationFinding, ServiceError>]
    ) -> BatchDrafts {
        let sessions = Set(batch.templates.compactMap { (try? $0.get())?.session })
        var drafts = BatchDrafts(
            batch, at: queue.clock.active, inBackground: sessions.filter(queue.apps.isInBackground))
        var found = places.makeIterator()
        for item in batch.items {
            switch item {
            case .failure(let error): drafts.refuse(error)
            case .success(let item):
                let now = drafts.now
                drafts.accept(item, queue.change { $0.giveIDs(at: now) }, found.next() ?? .success(.free([])))
            }
        }
        return drafts
    }

    /// Turns files left by earlier transfers into partial files of the transfers that continue them.
    private func takeOverFiles(for drafts: inout BatchDrafts) async {
        for (index, draft) in drafts.items.enumerated() {
            // The file of a refused transfer stays where it is.
            guard case .success(.free) = draft.place else { continue }
            do throws(ServiceError) {
                guard let source = try drafts.batch.template(draft.item.template).file.continues else { continue }
                let origin = try HTTPURL(parsing: draft.item.url).origin
                var record = try drafts.record(draft)
                try await checkUnreserved(Destination.path(of: record.request))
                // Used only once: the file has been renamed.
                record.request.file.continues = nil
                try await engine.files.takeOver(source, for: &record, origin: origin)
                drafts.continueTransfer(index, as: record)
            } catch {
                drafts.displace(index, error)
            }
        }
    }

    /// Checks before a file is moved that no other transfer has reserved its path.
    private func checkUnreserved(_ path: String?) async throws(ServiceError) {
        guard let path else { return }
        let holder = try await journal.read { reader throws(ServiceError) in try reader.destinationHolder(path) }
        guard let holder else { return }
        let verdict = ConflictRule(.replace, at: .beforeFetch).verdict(on: path, heldBy: .transfer, holder)
        if case .refuse(let error) = verdict { throw error }
    }

    /// Returns snapshots of a batch's transfers.
    private func shown(
        _ drafts: BatchDrafts, _ stored: StoredBatch
    ) throws(ServiceError) -> [TransferID: Transfer] {
        var shown: [TransferID: Transfer] = [:]
        for event in stored.ends { shown[event.id] = event.transfer }
        for draft in drafts.items where shown[draft.id] == nil && stored.refused[draft.id] == nil {
            var record = try drafts.record(draft)
            record.facts.destination = stored.destinations[draft.id]
            shown[draft.id] = queue.shown(record)
        }
        return shown
    }
}
