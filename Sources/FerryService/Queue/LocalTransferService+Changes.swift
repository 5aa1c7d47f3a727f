package import FerryCore
import FerryEngine
import Foundation

/// What can be changed about one transfer.
extension LocalTransferService {
    package func change(_ id: TransferID, _ change: TransferChange) async throws(TransferError) -> Transfer {
        let isCanceled = try await make(change, to: id)
        if let action = isCanceled ? .cancel : change.action {
            let result = try await act(action, on: TransferSelection(ids: [id]))
            if let error = result.first?.error { throw error }
            // With a state it is forgotten once its disk answers.
            if action == .remove || action == .removeWithFile, result.first?.state == nil {
                throw TransferError(.unknownTransfer, "The transfer \(id) was removed.")
            }
        }
        schedule()
        return shown(try await existing(id))
    }

    /// Makes a change in the transfer's turn, so that changes at the same time do not undo each other.
    ///
    /// - Returns: whether the change is an answer that ends the transfer.
    private func make(_ change: TransferChange, to id: TransferID) async throws(TransferError) -> Bool {
        var endsTransfer = false
        await takeTurn(id)
        defer { leaveTurn(id) }
        var change = change
        var record = try await existing(id)
        if case .succeeded(let success) = record.outcome, let name = change.name, change.folder == nil {
            try await rename(record, success, to: name, policy: change.onConflict ?? record.request.onConflict)
            change.name = nil
            record = try await existing(id)
        }
        if change.answer != nil || change.trustAnswer != nil {
            if try await take(change, for: record) { endsTransfer = true }
            record = try await existing(id)
        }
        let changed = try applying(change, to: record)
        if changed.request != record.request { try await put(changed, replacing: record) }
        return endsTransfer
    }

    func applying(_ change: TransferChange, to record: TransferRecord) throws(TransferError) -> TransferRecord {
        var record = record
        if let priority = change.priority { record.request.priority = priority }
        if let rate = change.rateLimit { record.request.rateLimit = rate }
        if let connections = change.connections { record.request.connections = connections }
        if change.url != nil || change.headers != nil { try checkReplaceable(record) }
        if let url = change.url { record.request.url = url }
        if let mirrors = change.mirrors { record.request.mirrors = mirrors }
        if let headers = change.headers { record.request.headers = headers }
        // What it is asked for with is given anew.
        if change.url != nil || change.headers != nil { record.request.secretsForgotten = false }
        if let network = change.network { record.request.network = network }
        if let begin = change.notBefore { record.request.notBefore = begin > Date() ? begin : nil }
        if let note = change.note { record.request.note = note }
        if let rule = change.retryRule { record.request.retryRule = rule }
        if let checksums = change.checksums { record.request.checksums = checksums }
        if let policy = change.onMismatch { record.request.onMismatch = policy }
        if let policy = change.onConflict { record.request.onConflict = policy }
        if let name = change.name { record.request.name = name }
        if let folder = change.folder { record.request.folder = folder }
        let movesFile = change.name != nil || change.folder != nil
        if movesFile {
            if case .succeeded = record.outcome {
                throw TransferError(.invalidRequest, "The file of \(record.id) is in its place already.")
            }
            if record.facts.partial != nil, record.request.partialFolder == nil,
                record.request.folder != Destination.folder(of: record.request)
                    || change.folder != nil
            {
                throw TransferError(
                    .invalidRequest, "A transfer that has bytes keeps its folder; cancel it and submit it anew.")
            }
            if running.contains(record.id) {
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

    /// - Throws: ``TransferError`` with code `request_not_replaceable`.
    private func checkReplaceable(_ record: TransferRecord) throws(TransferError) {
        let request = record.request
        guard request.method == "GET", !(request.spooled && record.outcome != nil) else {
            let sentence =
                request.method == "GET"
                ? "The transfer \(record.id) has ended."
                : "The request of \(record.id) has the method \(request.method)."
            throw TransferError(.requestNotReplaceable, sentence)
        }
    }

    /// Stores a changed request and lets what runs or waits follow it.
    private func put(_ changed: TransferRecord, replacing old: TransferRecord) async throws(TransferError) {
        // A file that gets another place: no try begins before that is stored.
        let (request, former) = (changed.request, old.request)
        let moves = request.name != former.name || request.folder != former.folder
        let waiting = moves ? queue.lines.leave([old.id], of: former.session) : nil
        do throws(TransferError) {
            try await noting { () async throws(TransferError) in
                try await journal.commit { transaction throws(TransferError) in
                    try Self.put(changed, replacing: old, transaction)
                }
            }
        } catch {
            if let waiting { comeBack(waiting) }
            throw error
        }
        if let waiting { comeBack(waiting) }
        await follow(changed, replacing: old)
    }

    /// Stores a changed request.
    static func put(
        _ changed: TransferRecord, replacing old: TransferRecord, _ transaction: any JournalTransaction
    ) throws(TransferError) {
        guard var current = try transaction.record(changed.id) else { return }
        let clearsDestination = changed.facts.destination == nil && old.facts.destination != nil
        current.request = changed.request
        current.credentials = changed.credentials
        if changed.request.hasOtherAddress(than: old.request) { current.retry = nil }
        if clearsDestination || changed.facts.name != old.facts.name {
            current.facts.name = nil
            current.facts.destination = nil
            current.facts.placement = nil
        }
        try transaction.update(current)
    }

    /// Lets what runs or waits follow a request that has changed in the journal.
    func follow(_ changed: TransferRecord, replacing old: TransferRecord) async {
        let hasNewAddress = changed.request.hasOtherAddress(than: old.request)
        let hasNewBegin = changed.request.notBefore != old.request.notBefore
        let id = changed.id
        if let attempt = attempts[id] {
            queue.running.follow(id, changed.request)
            await attempt.run?.follow(changed.request)
            attempt.limiter.rate = changed.request.rateLimit
            attempt.gate.setPriority(changed.request.priority)
            // A new address is asked at once; the bytes on disk are judged by its answer.
            if hasNewAddress { await attempt.run?.stop() }
            if changed.request.network != old.request.network {
                perform(queue.depend(on: key(changed)))
                await stopIfForbidden(id)
            }
        } else if changed.isEligible, hasNewAddress || hasNewBegin || key(changed) != key(old) {
            let waiting = lines.delay(of: id)
            queue.lines.leave(id, key(old))
            let isOver = hasNewAddress || waiting?.reason == .beginDate
            let rest = isOver ? 0 : waiting?.rest(at: .now) ?? 0
            lineUp(changed, after: rest, reason: waiting?.reason ?? .retry)
        }
    }
}
