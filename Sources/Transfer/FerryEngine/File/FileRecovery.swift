import FerryCore
import FerryDisk
import FerryRules
import Foundation
import Synchronization

/// Reconciles the disk with the facts of earlier attempts, and seals the file at the end of an attempt.
final class FileRecovery {
    private let attempt: AttemptState
    private let job: TransferJob
    private let file: AttemptFile
    private let verification: FileVerification
    private let placement: FilePlacement

    init(_ attempt: AttemptState, file: AttemptFile, verification: FileVerification, placement: FilePlacement) {
        self.attempt = attempt
        job = attempt.job
        self.file = file
        self.verification = verification
        self.placement = placement
    }

    /// Reconciles disk and facts before the first request (docs/behaviour/transfers.md#crashes).
    ///
    /// - Returns: The outcome if the file is already in place, or complete.
    func recover(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) -> Outcome.Success? {
        if let intent = attempt.facts.placement { return try await recoverPlacement(intent) }
        try await placement.dropCopy()
        guard attempt.facts.partial != nil else {
            if job.mayHaveLeftovers { try await removeUnrecorded() }
            return nil
        }
        guard let found = try await reopen() else {
            try await startWithoutFile("restarted: the partial file was missing or replaced")
            return nil
        }
        attempt.partial = found
        try await lookForChanges(of: found)
        if attempt.facts.needsTruncation {
            try await attempt.onDisk { _ throws(DiskError) in try found.truncate() }
            attempt.facts.needsTruncation = false
        }
        job.progress.received.store(attempt.facts.ranges.byteCount, ordering: .relaxed)
        return nil
    }

    /// Checks which bytes of the partial file still count, and returns whether any do.
    ///
    /// Digests of an earlier attempt count if the file was not touched since. If any bytes may have changed, all are
    /// fetched again, as nothing shows which ones changed.
    @discardableResult
    private func lookForChanges(of found: PartialFile, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> Bool
    {
        guard let stamp = attempt.facts.stamp else { return true }
        let present = try await attempt.onDisk { _ throws(DiskError) in try found.stamp() }
        switch stamp.trust(in: present) {
        case .all:
            // Bytes that never became durable are received again, and must not be counted twice.
            let durable = attempt.facts.ranges.contiguousEnd(from: 0)
            attempt.writes.digest.resume(job.digest.flatMap { $0.count <= durable ? $0 : nil })
        case .bytes: break
        case .nothingCertain, .nothing:
            // If the file system may have changed the time, the file is not stamped again: the bytes are fetched again
            // once, and not at every pause. A later change that keeps the length is then detected only by a checksum.
            // Comparing all bytes would be certain, but reads the complete file, usually over the network, at each end
            // of an attempt.
            if stamp.trust(in: present) == .nothingCertain { attempt.facts.partial?.hasReliableTime = false }
            attempt.facts.loseBytes(note: "restarted: another program has changed the partial file")
            try await attempt.record()
            return false
        }
        return true
    }

    /// Records the partial file's stamp at the end of an attempt, to detect changes until the next one.
    func comeToRest(isolation: isolated (any Actor)? = #isolation) async {
        // A file that may have its final name keeps its modification time.
        if let partial = attempt.partial, attempt.facts.stamp == nil, attempt.facts.partial?.hasReliableTime == true,
            attempt.facts.placement == nil,
            !attempt.facts.ranges.isEmpty,
            attempt.writes.fault == nil
        {
            let sealed = await attempt.disk.result { _ throws(DiskError) in try partial.seal() }
            if case .success(let stamp?) = sealed {
                attempt.facts.stamp = stamp
                try? await attempt.record()
            }
        }
        // Without a stamp nothing shows that the bytes are unchanged, so their digests are useless.
        if attempt.facts.stamp == nil { attempt.writes.digest.begin() }
    }

    /// Reopens the recorded partial file, and updates the facts about it.
    ///
    /// - Returns: `nil` if it is gone, replaced or has lost bytes.
    /// - Throws: ``ServiceError`` with code `destination_unwritable` that waits, if its disk is not mounted.
    private func reopen(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) -> PartialFile? {
        guard let recorded = attempt.facts.partial else { return nil }
        let facts = attempt.facts
        let reopening: PartialFile.Reopening
        do throws(ServiceError) {
            reopening = try await attempt.onDisk { system throws(DiskError) in
                try PartialFile.reopen(facts, disk: system)
            }
        } catch  where job.request.file.partialFolder != nil && Self.isMissing(error) {
            try await file.checkMount(of: recorded.folder)
            return nil
        } catch  where error.code == .destinationUnwritable {
            try await file.checkMount(of: recorded.folder)
            // A removable or network disk may return.
            throw ServiceError(.destinationUnwritable, error.message, details: error.details, as: .wait)
        }
        let found: PartialFile
        switch reopening {
        case .found(let partial): found = partial
        case .proven(let partial, let end):
            found = partial
            attempt.facts.ranges = ByteRangeSet(0..<end)
            attempt.facts.stamp = nil
        case .missing, .lost:
            try await file.checkMount(of: recorded.folder)
            return nil
        }
        if found.facts != recorded {
            attempt.facts.partial = found.facts
            attempt.facts.partial?.mounts[recorded.folder] = nil
        }
        await file.noteMounts()
        return found
    }

    /// Recovers from a recorded intent: the file was renamed, or not, or it was removed.
    private func recoverPlacement(_ intent: PlacementIntent, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> Outcome.Success?
    {
        let judged = JudgedDigests(verified: intent.verified, mismatched: intent.mismatched ?? [])
        let isElsewhere = job.request.file.partialFolder != nil
        let (id, recorded) = (job.id, attempt.facts.partial)
        _ = await attempt.disk.result { system throws(DiskError) in try intent.undoRename(of: id, recorded, system) }
        // Placing by copy may have left the partial file behind.
        if isElsewhere, let success = try await placedBefore(intent, judged) { return success }
        try await placement.dropCopy()
        if let found = try await reopen() {
            attempt.partial = found
            guard try await lookForChanges(of: found) else {
                try await attempt.onDisk { _ throws(DiskError) in try found.truncate() }
                attempt.facts.needsTruncation = false
                return nil
            }
            return try await placement.place(
                found, size: intent.size, try await verification.verify(found, size: intent.size))
        }
        if !isElsewhere, let success = try await placedBefore(intent, judged) { return success }
        try await startWithoutFile("restarted: the finished file was removed before it was recorded")
        return nil
    }

    /// Returns the success of an intent whose file is in place.
    private func placedBefore(
        _ intent: PlacementIntent, _ judged: JudgedDigests, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Outcome.Success? {
        let folder: OpenFile?
        let keepsInode = attempt.facts.partial?.keepsInode ?? true
        let prefix = attempt.facts.prefix.flatMap { $0.count == intent.size ? $0 : nil }
        do throws(ServiceError) {
            folder = try await attempt.onDisk { system throws(DiskError) -> OpenFile? in
                let folder = try system.openFolder(intent.path.folderPart)
                let name = intent.path.lastPathPart
                guard let found = try system.identity(of: name, in: folder) else { return nil }
                if keepsInode || intent.modified != nil {
                    guard intent.announces(found) else { return nil }
                } else {
                    guard found.kind == .regular, found.size == intent.size,
                        try PlacedFile.has(prefix, name, in: folder, disk: system)
                    else { return nil }
                }
                try system.syncNames(in: folder)
                return folder
            }
        } catch  where job.request.file.partialFolder != nil && Self.isMissing(error) {
            return nil
        }
        guard let folder else { return nil }
        return try await placement.settlePlaced(in: folder, size: intent.size, judged)
    }

    private static func isMissing(_ error: ServiceError) -> Bool {
        error.details.errno == ENOENT || error.details.errno == ENOTDIR
    }

    private func startWithoutFile(_ note: String, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError)
    {
        if let recorded = attempt.facts.partial {
            // The transfer's own file, but shorter than recorded. Remove it here: nothing else would after its record
            // is gone.
            let found = await attempt.disk.result { system throws(DiskError) in
                try PartialFile.remove(recorded, disk: system)
                return try system.identity(of: recorded.name, in: system.openFolder(recorded.folder)) != nil
            }
            switch found {
            case .success(let isForeign): attempt.facts.partialNameIsForeign = isForeign
            case .failure(let error):
                guard job.request.file.partialFolder != nil, Self.isMissing(error.transferError) else {
                    throw error.transferError
                }
            }
        }
        attempt.facts.loseBytes(note: note)
        attempt.facts.partial = nil
        attempt.facts.needsTruncation = false
        attempt.writes.digest.begin()
        try await attempt.record()
    }

    /// Removes a partial file that was created but never recorded. The journal counts none of its bytes.
    private func removeUnrecorded(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        guard !attempt.facts.partialNameIsForeign else { return }
        let id = job.id
        let path = job.request.file.partialFolder ?? Destination.folder(of: job.request)
        _ = await attempt.disk.result { system throws(DiskError) in
            try PartialFile.removeUnrecorded(of: id, in: system.openFolder(path), disk: system)
        }
    }
}
