import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Hands partial files over from a transfer to a later request.
actor HandOvers {
    private let queue: LiveQueue
    private let journal: any Journal
    private let actions: Actions
    private let ends: TransferEnds
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(_ queue: LiveQueue, journal: any Journal, actions: Actions, ends: TransferEnds) {
        self.queue = queue
        self.journal = journal
        self.actions = actions
        self.ends = ends
    }

    // MARK: Release

    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? {
        // Suspend first: a transfer that is only stopped would be retried.
        let stopped = await actions.perform(Act(.pause, on: [id], .stopped))
        defer { queue.take(.release(stopped.held, .files)) }
        if let error = stopped.results[id]?.error { throw error }
        guard var record = stopped.records[id] else { throw ServiceError.unknown(id) }
        if let released = record.facts.released { return released }
        if case .succeeded = record.outcome { return nil }
        // The user has already ended it: keep nothing.
        if record.intent.isRemoval || (record.outcome == nil && record.intent == .cancel) { return nil }
        let source = try await handOver(&record)
        while try await !noteRelease(of: record) {
            // It has changed since it was read. The hand-over stands.
            let facts = record.facts
            record = try await journal.existing(id)
            record.facts = facts
        }
        return source
    }

    /// Records the hand-over, and cancels the transfer if it has no outcome.
    ///
    /// - Returns: False, with nothing recorded, if the transfer has changed since it was read.
    private func noteRelease(of record: TransferRecord) async throws(ServiceError) -> Bool {
        guard record.outcome == nil else {
            return try await journal.commit { transaction throws(ServiceError) in
                try transaction.updateFacts(of: record)
            }
        }
        var released = record
        if !released.intent.isRemoval { released.intent = .cancel }
        return try await ends.finish(released, .canceled)
    }

    /// Renames the partial file if the transfer can be continued. Removes it otherwise.
    private func handOver(_ record: inout TransferRecord) async throws(ServiceError) -> PartialSource? {
        if let upload = record.facts.sending.upload, upload.resource != nil, case .file(let file) = record.request.body
        {
            let source = PartialSource(UploadSource(upload, of: file))
            record.facts.released = source
            return source
        }
        guard let partial = record.facts.partial else { return nil }
        defer {
            record.facts.partial = nil
            record.facts.bytes = DurableBytes()
        }
        guard let offset = record.facts.continuableBytes(of: record.request), let identity = record.facts.identity
        else {
            try await queue.engine.files.removePartialFile(partial)
            return nil
        }
        let name = ReleasedName.of(record.id)
        try await queue.engine.files.renamePartialFile(partial, to: name, cutAt: offset)
        let source = PartialSource(
            path: partial.folder + "/" + name, offset: offset, etag: identity.etag, lastModified: identity.lastModified,
            date: identity.date, completeLength: identity.completeLength, origin: identity.origin,
            pendingDigests: record.facts.pendingDigests.isEmpty ? nil : record.facts.pendingDigests)
        record.facts.released = source
        return source
    }
}

extension TransferFiles {
    /// Turns an earlier transfer's file into this one's partial file.
    func takeOver(
        _ source: PartialSource, for record: inout TransferRecord, origin: Origin,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) {
        if let upload = source.upload {
            guard record.request.body == .file(upload.file) else {
                throw ServiceError(.fileChanged, "The upload to continue is that of another file.")
            }
            record.facts.sending.upload = upload.facts
            return
        }
        let folder = record.request.file.partialFolder ?? record.request.file.folder
        let partial = try await takeOverPartialFile(source, for: record.id, in: folder)
        record.facts.partial = partial
        record.facts.ranges.insert(0..<source.offset)
        record.facts.pendingDigests = source.pendingDigests ?? PendingDigests()
        record.facts.advance()
        record.facts.identity = ResourceIdentity(
            origin: source.origin ?? origin, etag: source.etag, lastModified: source.lastModified, date: source.date,
            completeLength: source.completeLength)
        record.facts.joined = true
        record.facts.name = record.request.file.name
        record.facts.destination = record.request.file.name.map { record.request.file.folder.appendingPathPart($0) }
    }
}
