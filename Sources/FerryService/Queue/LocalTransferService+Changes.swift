// Ferry: FerryService
// What can be changed about one transfer.

package import FerryCore
import FerryEngine
import FerryStore
import Foundation

extension LocalTransferService {
    package func change(_ id: TransferID, _ change: TransferChange) async throws(TransferError) -> Transfer {
        try await make(change, to: id)
        if let action = change.action {
            let result = try await act(action, on: TransferSelection(ids: [id]))
            if let error = result.first?.error { throw error }
            if action == .remove || action == .removeWithFile {
                throw TransferError(.unknownTransfer, "The transfer \(id) was removed.")
            }
        }
        schedule()
        return shown(try await existing(id))
    }

    /// Makes a change in the transfer's turn, so that changes at the same time do not undo each other.
    private func make(_ change: TransferChange, to id: TransferID) async throws(TransferError) {
        if !turns.take(id) { await withCheckedContinuation { turns.wait(id, $0) } }
        defer { turns.leave(id) }
        let record = try await existing(id)
        let changed = try applying(change, to: record)
        if changed.request != record.request { try await put(changed, replacing: record) }
    }

    private func applying(_ change: TransferChange, to record: TransferRecord) throws(TransferError) -> TransferRecord {
        var record = record
        if let priority = change.priority { record.request.priority = priority }
        if let rate = change.rateLimit { record.request.rateLimit = rate }
        if let url = change.url { record.request.url = url }
        if let name = change.name { record.request.name = name }
        if let folder = change.folder { record.request.folder = folder }
        let movesFile = change.name != nil || change.folder != nil
        if movesFile {
            if case .succeeded = record.outcome {
                throw TransferError(.invalidRequest, "The file of \(record.id) is in its place already.")
            }
            if record.facts.partial != nil,
                record.request.folder != Destination.folder(of: record.request)
                    || change.folder != nil
            {
                throw TransferError(
                    .invalidRequest, "A transfer that has bytes keeps its folder; cancel it and submit it anew.")
            }
            if live[record.id] != nil {
                throw TransferError(.invalidRequest, "Pause the transfer before its name or folder is changed.")
            }
            record.facts.name = nil
            record.facts.destination = nil
            record.facts.placement = nil
        }
        let admitted = try TransferAdmission.admit(record.request)
        record.request = admitted.request
        if change.url != nil { record.credentials = admitted.credentials }
        return record
    }

    /// Stores a changed request and lets what runs or waits follow it.
    private func put(_ changed: TransferRecord, replacing old: TransferRecord) async throws(TransferError) {
        let hasNewAddress = changed.request.url != old.request.url
        let clearsDestination = changed.facts.destination == nil && old.facts.destination != nil
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                guard var current = try transaction.record(changed.id) else { return }
                current.request = changed.request
                current.credentials = changed.credentials
                if hasNewAddress { current.retry = nil }
                if clearsDestination || changed.facts.name != old.facts.name {
                    current.facts.name = nil
                    current.facts.destination = nil
                    current.facts.placement = nil
                }
                try transaction.update(current)
            }
        }
        let id = changed.id
        if let transfer = live[id] {
            live[id]?.record?.request = changed.request
            transfer.limiter.rate = changed.request.rateLimit
            transfer.gate.setPriority(changed.request.priority)
            // A new address is asked at once; the bytes on disk are judged by its answer.
            if hasNewAddress { await transfer.run?.stop() }
        } else if changed.isEligible, hasNewAddress || Self.key(changed) != Self.key(old) {
            let waiting = delayed[id]
            leaveLine(id, Self.key(old))
            let rest = waiting.map { max(0, ($0.until - .now) / .seconds(1)) } ?? 0
            enqueue(id, Self.key(changed), after: hasNewAddress ? 0 : rest, reason: waiting?.reason ?? .retry)
        }
    }
}
