import FerryCore
import FerryEngine
import Foundation

/// From a list of URLs to transfers in the journal.
extension LocalTransferService {
    /// Stores a transfer for each of very many URLs.
    func submit(
        _ lines: URLLines, of template: TransferRequest
    ) async throws(ServiceError) -> TransferBatch.Report {
        try checkIsOpen()
        var list = try await AdmittedList(lines, of: template)
        var folders = FolderChecks(engine) { _ in [] }
        do throws(ServiceError) {
            if list.needsTrust { try await engine.check(list.template.trust) }
            _ = try await folders.check(list.template)
        } catch {
            list.refuse(error)
        }
        configuration.reached(.batchChecked)
        let isInBackground = isInBackground(list.template.session)
        if isInBackground { list.template.network.isDiscretionary = true }
        // From here to the commit no other call gets ids: the ids of the list follow each other.
        let now = Date()
        let urls = list.urls
        let session = list.template.session
        guard urls.count > 0 else {
            let last = try await reading { reader throws(ServiceError) in try reader.lastEvent(of: session) }
            return list.report(first: queue.ids.last, lastEvent: last)
        }
        let first = queue.giveIDs(urls.count, at: now)
        var record = TransferRecord(id: first, createdAt: now, request: list.template, credentials: nil)
        if isInBackground { record.facts.startsAfterRelaunch = true }
        if record.isEligible { record.active.begin(at: .now) }
        let row = try journal.prepare(record)
        // Events of a long list that the next trimming would let go are not stored.
        let kept = keptEvents(of: session)
        let submitted = try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.insert(urls, like: row, first: first, session: session, at: now, keptEvents: kept)
            }
        }
        configuration.reached(.requestCommitted)
        // Before anything that may fail: the hub publishes no later event before these.
        await hub.publish(submitted)
        try await enqueue(submitted.ids, urls.origins, like: record)
        schedule()
        await notifyObstacles(of: submitted.ids)
        return list.report(first: first, lastEvent: submitted.last)
    }

    /// Puts the transfers of a list in line, and sets the alarms for the ends of their time.
    private func enqueue(
        _ ids: [TransferID], _ origins: Set<String>, like template: TransferRecord
    ) async throws(ServiceError) {
        guard template.isEligible, !ids.isEmpty else { return }
        let stored = origins.compactMap { StoredQueueKey(template, origin: $0) }
        if ids.count > Queue.lineWindow, stored.count == origins.count {
            take(.listed(Input.List(lines: stored, ids: ids, due: template.due)))
        } else {
            let pending = try await noting { () async throws(ServiceError) in
                try await journal.read { reader throws(ServiceError) in try reader.pending(ids) }
            }
            enqueue(pending)
        }
    }
}
