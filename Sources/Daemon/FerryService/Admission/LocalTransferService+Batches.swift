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

extension LocalTransferService {
    /// Stores a batch, publishes its transfers and schedules them.
    ///
    /// - Parameters:
    ///   - starts: The transfers to start with it.
    ///   - refusesPlaces: If true, items with a refused destination are refused, and snapshots of all others are
    ///     returned. If false, such items are stored as failed.
    func accept(
        _ batch: TransferBatch, starting starts: BatchStarts? = nil, refusesPlaces: Bool
    ) async throws(ServiceError) -> AcceptedBatch {
        try checkIsOpen()
        var admitted = await AdmittedBatch(batch.items.each, of: batch.templates)
        await checkTrust(of: &admitted)
        await inspectUploads(of: &admitted)
        if admitted.hasSpooled { admitted.setFolder(try await openSpool()) }
        let places = await places(of: admitted)
        configuration.reached(.batchChecked)
        // From here on no other call gets an id between the ids of this batch.
        var drafted = drafts(of: admitted, places)
        let ids = drafted.ids
        if let ids { take(.storing(ids)) }
        defer { if let ids { take(.queued(ids)) } }
        await takeOverFiles(for: &drafted)
        let drafts = drafted
        let rows = try drafts.rows(for: journal)
        let session = batch.templates.first?.session
        let held = await hold(starts)
        defer { if let held { take(.release(held.ids, .commit)) } }
        let stored = try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in
                try StoredBatch.store(drafts, rows, held, refusesPlaces: refusesPlaces, of: session, in: transaction)
            }
        }
        configuration.reached(.requestCommitted)
        enqueue(drafts.pending(without: stored.notWaiting))
        if let ids { take(.queued(ids)) }
        let shown = refusesPlaces ? try shown(drafts, stored) : [:]
        await notify(of: stored.submitted, shown)
        for event in stored.ends { await hub.publish(event) }
        if let begun = stored.started { await goneOn(begun) }
        schedule()
        for run in stored.submitted { await notifyObstacles(of: run.ids) }
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
        var drafts = BatchDrafts(batch, at: clock.active, inBackground: sessions.filter(isInBackground))
        var found = places.makeIterator()
        for item in batch.items {
            switch item {
            case .failure(let error): drafts.refuse(error)
            case .success(let item):
                drafts.accept(item, queue.giveIDs(at: drafts.now), found.next() ?? .success(.free([])))
            }
        }
        return drafts
    }

    /// Turns files left by earlier transfers into partial files of the transfers that continue them.
    private func takeOverFiles(for drafts: inout BatchDrafts) async {
        for (index, draft) in drafts.items.enumerated() {
            do throws(ServiceError) {
                guard let source = try drafts.batch.template(draft.item.template).file.continues else { continue }
                let origin = try HTTPURL(parsing: draft.item.url).origin
                var record = try drafts.record(draft)
                // Used only once: the file has been renamed.
                record.request.file.continues = nil
                try await takeOver(source, for: &record, origin: origin)
                drafts.continueTransfer(index, as: record)
            } catch {
                drafts.displace(index, error)
            }
        }
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
            shown[draft.id] = self.shown(record)
        }
        return shown
    }
}
