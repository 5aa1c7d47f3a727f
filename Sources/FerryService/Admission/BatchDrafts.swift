// Ferry: FerryService
// The transfers that a batch becomes.

import FerryCore
import FerryStore
import Foundation

/// The transfers that a batch becomes, and what its submitter is answered.
struct BatchDrafts: Sendable {
    /// One transfer that is to be stored.
    struct Draft: Sendable {
        let id: TransferID
        let item: AdmittedBatch.Item
        let place: Result<FolderChecks.Finding, TransferError>
        let active: ActiveTime
        let startsAfterRelaunch: Bool

        func record(at now: Date) -> TransferRecord {
            var record = TransferRecord(
                id: id, createdAt: now, request: item.request, credentials: item.credentials)
            record.active = active
            if startsAfterRelaunch { record.facts.startsAfterRelaunch = true }
            return record
        }

        var pending: PendingTransfer {
            PendingTransfer(
                id: id, session: item.request.session, origin: item.origin, priority: item.request.priority,
                network: item.request.network, retry: nil, deadline: item.request.deadline,
                notBefore: item.request.notBefore, resourceTimeout: item.request.resourceTimeout, active: active,
                startsAfterRelaunch: startsAfterRelaunch)
        }

        var row: BatchRow {
            BatchRow(
                id: id, url: item.request.url, origin: item.origin, credentials: item.credentials,
                folder: item.request.folder, name: item.request.name, data: item.data)
        }
    }

    let now: Date
    private(set) var items: [Draft] = []
    private(set) var results: [TransferBatch.Result] = []
    private let active: ActiveTime
    private let isInBackground: Bool

    /// - Parameter isInBackground: whether the app was launched for events.
    init(at now: Date, isInBackground: Bool) {
        self.now = now
        self.isInBackground = isInBackground
        var active = ActiveTime()
        active.begin(at: .now)
        self.active = active
    }

    mutating func refuse(_ error: TransferError) { results.append(TransferBatch.Result(error: error)) }

    mutating func accept(
        _ item: AdmittedBatch.Item, _ id: TransferID, _ place: Result<FolderChecks.Finding, TransferError>
    ) {
        var item = item
        if isInBackground { item.request.network.isDiscretionary = true }
        if item.request.spooled { item.request.name = SpoolNames.result(id) }
        results.append(TransferBatch.Result(id: id))
        items.append(
            Draft(
                id: id, item: item, place: place, active: item.request.paused ? ActiveTime() : active,
                startsAfterRelaunch: isInBackground))
    }

    /// What the rows of each template have in common.
    func templates() throws(TransferError) -> [Int: BatchTemplate] {
        var templates: [Int: BatchTemplate] = [:]
        for draft in items where templates[draft.item.template] == nil {
            var record = draft.record(at: now)
            record.request.name = nil
            templates[draft.item.template] = try BatchTemplate(record)
        }
        return templates
    }
}
