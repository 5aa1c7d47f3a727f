import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Storing a list of URLs as transfers.
extension Admission {
    /// Stores one transfer per URL of a very long list.
    func submit(
        _ lines: URLLines, of template: TransferRequest
    ) async throws(ServiceError) -> TransferBatch.Report {
        try life.checkIsOpen()
        var list = try await AdmittedList(lines, of: template)
        var folders = FolderChecks(engine) { _ in [] }
        do throws(ServiceError) {
            if list.needsTrust { try await engine.check(list.template.tls.trust) }
            _ = try await folders.check(list.template)
        } catch {
            list.refuse(error)
        }
        configuration.reached(.batchChecked)
        let isInBackground = queue.apps.isInBackground(list.template.session)
        if isInBackground { list.template.transport.network.isDiscretionary = true }
        // No other call gets ids until the commit: the ids of the list are consecutive.
        let now = queue.clock.wall
        let urls = list.urls
        let session = list.template.session
        guard urls.count > 0 else {
            let last = try await journal.read { reader throws(ServiceError) in try reader.lastEvent(of: session) }
            return list.report(first: queue.ids.last, lastEvent: last)
        }
        let first = queue.change { $0.giveIDs(urls.count, at: now) }
        let ids = first...first.advanced(by: urls.count - 1)
        queue.take(.storing(ids))
        defer { queue.take(.queued(ids)) }
        var record = TransferRecord(id: first, createdAt: now, request: list.template, credentials: nil)
        if isInBackground { record.facts.startsAfterRelaunch = true }
        if record.isEligible { record.active.begin(at: queue.clock.active) }
        let row = try journal.prepare(record)
        // Events that the next trimming would remove are not stored.
        let isRegistered = queue.apps.contains(session)
        let kept = isRegistered ? .max : configuration.retention.mostUnacknowledged
        let submitted = try await journal.commit { transaction throws(ServiceError) in
            try transaction.insert(urls, like: row, first: first, session: session, at: now, keptEvents: kept)
        }
        configuration.reached(.requestCommitted)
        // Before anything that may throw: the hub publishes no later event before these.
        await hub.publish(submitted)
        try await enqueue(submitted.ids, urls.origins, like: record)
        queue.take(.queued(ids))
        queue.schedule()
        await events.notifyObstacles(of: submitted.ids)
        return list.report(first: first, lastEvent: submitted.last)
    }

    /// Queues the transfers of a list and sets the alarms for their deadlines.
    private func enqueue(
        _ ids: [TransferID], _ origins: Set<String>, like template: TransferRecord
    ) async throws(ServiceError) {
        guard template.isEligible, !ids.isEmpty else { return }
        let stored = origins.compactMap { StoredQueueKey(template, origin: $0) }
        if ids.count > configuration.lineWindow, stored.count == origins.count {
            queue.take(.listed(Input.List(lines: stored, ids: ids, due: template.due)))
        } else {
            queue.enqueue(try await journal.read { reader throws(ServiceError) in try reader.pending(ids) })
        }
    }
}
