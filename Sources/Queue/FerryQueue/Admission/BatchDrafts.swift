package import FerryCore
package import FerryRules
package import FerryFoundation

/// The transfers to create for a batch, and the results for its submitter.
package struct BatchDrafts: Sendable {
    /// A transfer to store.
    package struct Draft: Sendable {
        package let id: TransferID
        package let item: AdmittedBatch.Item
        package fileprivate(set) var place: Result<DestinationFinding, ServiceError>
        /// The record to store if the transfer continues a file. `nil` stores a row like the template.
        package fileprivate(set) var record: TransferRecord?

        package var row: BatchRow {
            BatchRow(
                id: id, url: item.url, origin: item.origin, credentials: item.credentials, folder: item.folder,
                name: item.name, data: item.data)
        }
    }

    package let batch: AdmittedBatch
    package let now: Date
    package private(set) var items: [Draft] = []
    private var results: [TransferBatch.Result] = []
    private let active: ActiveTime
    /// Sessions whose apps were launched for background events.
    private let inBackground: Set<SessionID>

    /// - Parameter inBackground: The sessions whose apps were launched for background events.
    package init(_ batch: AdmittedBatch, at moment: ActiveTime.Instant, inBackground: Set<SessionID>) {
        var batch = batch
        if !inBackground.isEmpty { batch.setDiscretionary(inBackground) }
        self.batch = batch
        now = moment.wall
        self.inBackground = inBackground
        var active = ActiveTime()
        active.begin(at: moment)
        self.active = active
        items.reserveCapacity(batch.items.count)
        results.reserveCapacity(batch.items.count)
    }

    /// The consecutive ids of the accepted items, or `nil` if there are none.
    package var ids: ClosedRange<TransferID>? {
        guard let first = items.first?.id, let last = items.last?.id else { return nil }
        return first...last
    }

    package mutating func refuse(_ error: ServiceError) { results.append(TransferBatch.Result(error: error)) }

    package mutating func accept(
        _ item: AdmittedBatch.Item, _ id: TransferID, _ place: Result<DestinationFinding, ServiceError>
    ) {
        results.append(TransferBatch.Result(id: id))
        items.append(Draft(id: id, item: item, place: place))
    }

    /// Returns the result of each item, in batch order.
    ///
    /// - Parameter refused: The transfers that the transaction did not store, with their errors.
    package func results(refusing refused: [TransferID: ServiceError]) -> [TransferBatch.Result] {
        guard !refused.isEmpty else { return results }
        return results.map { result in
            guard let error = result.id.flatMap({ refused[$0] }) else { return result }
            return TransferBatch.Result(error: error)
        }
    }

    /// Makes a draft continue a file.
    package mutating func continueTransfer(_ index: Int, as record: TransferRecord) { items[index].record = record }

    /// Records why a draft's destination is refused.
    package mutating func displace(_ index: Int, _ error: ServiceError) { items[index].place = .failure(error) }

    /// Returns the record of a draft.
    package func record(_ draft: Draft) throws(ServiceError) -> TransferRecord {
        if let record = draft.record { return record }
        var record = TransferRecord(
            id: draft.id, createdAt: now, request: try batch.request(draft.item), credentials: draft.item.credentials)
        if record.request.file.spooled { record.request.file.name = SpoolNames.result(draft.id) }
        if !record.request.timing.paused { record.active = active }
        if inBackground.contains(record.request.session) { record.facts.startsAfterRelaunch = true }
        return record
    }

    /// Returns the shared values of the drafts' templates, with `nil` for templates without accepted items.
    package func templates() -> [Template?] {
        batch.templates.map { template in (try? template.get()).map { Template($0) } }
    }

    /// Values shared by all drafts of a template.
    package struct Template: Sendable {
        package let request: TransferRequest
        package let session: SessionID
        package let isSpooled: Bool
        package let isPaused: Bool
        package let rule: ConflictRule
        package let task: Int?

        package init(_ request: TransferRequest) {
            self.request = request
            session = request.session
            isSpooled = request.file.spooled
            isPaused = request.timing.paused
            rule = request.admissionRule
            task = request.note?.task
        }
    }

    /// Returns the shared row values of each template in the journal's form, with `nil` for templates without drafts.
    package func rows(for journal: any Journal) throws(ServiceError) -> [BatchTemplate?] {
        var templates = [BatchTemplate?](repeating: nil, count: batch.templates.count)
        for draft in items where templates[draft.item.template] == nil {
            var record = try record(draft)
            record.request.file.name = nil
            templates[draft.item.template] = try journal.prepare(record)
        }
        return templates
    }

    /// Returns the queue entries of the drafts that may run. Finished transfers are left out.
    package func pending(without ended: Set<TransferID>) -> [PendingTransfer] {
        let templates = templates()
        let dues = templates.map { template in
            template.flatMap { template in
                TimeBounds(
                    deadline: template.request.timing.deadline,
                    resourceTimeout: template.request.timing.resourceTimeout,
                    active: active
                ).due
            }
        }
        var pending: [PendingTransfer] = []
        pending.reserveCapacity(items.count)
        for draft in items {
            guard let template = templates[draft.item.template], !template.isPaused, !ended.contains(draft.id) else {
                continue
            }
            let request = template.request
            pending.append(
                PendingTransfer(
                    id: draft.id, session: request.session, origin: draft.item.origin,
                    priority: request.timing.priority,
                    network: request.transport.network, retry: nil, notBefore: request.timing.notBefore,
                    due: dues[draft.item.template], startsAfterRelaunch: inBackground.contains(request.session)))
        }
        return pending
    }
}
