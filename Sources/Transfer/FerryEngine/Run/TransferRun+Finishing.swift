import FerryCore
import FerryRules
import Foundation
import Synchronization

extension TransferRun {
    /// Verifies the complete file and places it (docs/behaviour/transfers.md#D1, steps 7 to 11).
    func finish() async throws(ServiceError) -> Outcome.Success {
        // A server may also say that nothing is missing where no file was made: all of an empty one.
        if partial == nil, facts.ranges.isEmpty, let success = try await makeFile(of: 0) { return success }
        guard let partial else { throw ServiceError(.internal, "A complete file is not there.") }
        let size = facts.ranges.upperBound
        // The caller's expected size does not apply to an error page.
        let isFile = !facts.notes.contains(BodyNote.statusIsResult.rawValue)
        if let expected = job.request.response.expectedSize, expected != size, isFile {
            try await dropPartialFile()
            try await record()
            throw ServiceError(.lengthMismatch, "The file has \(size) bytes, and \(expected) were expected.")
        }
        try await cutTail(partial, size: size)
        try await comparePendingDigests(partial, size: size)
        let judged = try await verify(partial, size: size)
        reached(.wholeVerified)
        return try await place(partial, size: size, judged)
    }

    /// Truncates the file after the last range. Bytes after it are not data (docs/behaviour/transfers.md#D4).
    ///
    /// - Throws: ``ServiceError`` with code `partial_lost` if bytes before it are missing because another program
    ///   truncated the file.
    private func cutTail(_ partial: PartialFile, size: Int64) async throws(ServiceError) {
        let (found, hasHole) = try await onDisk { system throws(DiskError) in
            (try partial.size(), system.hasHole(partial.file, before: size))
        }
        guard found >= size, !hasHole else {
            writes.digest.begin()
            facts.startOver(note: "restarted: another program has changed the partial file")
            try await record()
            throw ServiceError(
                .partialLost,
                "Another program has truncated \(partial.facts.path.escapingControls) while it was written.")
        }
        guard found > size else { return }
        if facts.stamp != nil {
            facts.stamp = nil
            try await record()
        }
        try await onDisk { system throws(DiskError) in
            try system.truncate(partial.file, to: size)
            try partial.sync()
        }
    }

    // MARK: Digests

    /// Compares the complete file with digests that servers stated for responses that were not read to their end.
    /// Removes the ranges that differ (docs/behaviour/transfers.md#I3).
    private func comparePendingDigests(_ partial: PartialFile, size: Int64) async throws(ServiceError) {
        var difference: Checksum?
        for stated in facts.pendingDigests.digests {
            let range = stated.range(inSize: size)
            let computed: RunningDigest
            do {
                computed = try await disk.bulk.run { system throws(DiskError) in
                    try FileDigest.extend(
                        RunningDigest(stated.algorithms), of: partial.file, from: range.lowerBound,
                        to: range.upperBound, disk: system)
                }
            } catch {
                throw error.transferError
            }
            facts.pendingDigests.remove(stated)
            guard let wrong = stated.difference(from: computed.finalize()) else { continue }
            facts.ranges.remove(range)
            difference = wrong
        }
        guard let difference else { return }
        writes.digest.begin()
        job.progress.received.store(facts.ranges.byteCount, ordering: .relaxed)
        try await record()
        throw Self.contentFault(difference)
    }

    /// Compares the complete file with all expected digests, including ones requested while it is being read.
    func verify(_ partial: PartialFile, size: Int64) async throws(ServiceError) -> JudgedDigests {
        while true {
            let options = self.options
            let given = options.checksums
            let stated = facts.identity?.reprDigests ?? []
            let computed = try await compute(Set((given + stated).map(\.algorithm)), of: partial.file, size: size)
            guard self.options == options else { continue }
            let judged = JudgedDigests(computed, expected: given + stated)
            // The server's own digest shows damage in transit, regardless of the caller's rule for its own digests.
            let binding = options.onMismatch == .fail ? given + stated : stated
            guard let wrong = binding.first(where: { !computed.contains($0) }) else { return judged }
            throw try await mismatch(wrong, computed)
        }
    }

    /// Computes the digests of a whole file: from the passing bytes, or from the file if that state was lost.
    func compute(
        _ algorithms: Set<DigestAlgorithm>, of file: OpenFile, size: Int64
    ) async throws(ServiceError) -> [Checksum] {
        guard !algorithms.isEmpty else { return [] }
        let prefix = writes.digest.begun(algorithms, size: size)
        guard prefix.count < size else { return prefix.finalize() }
        let progress = job.progress
        progress.verified.store(prefix.count, ordering: .relaxed)
        defer { progress.verified.store(-1, ordering: .relaxed) }
        do {
            return try await disk.bulk.run { system throws(DiskError) in
                try FileDigest.extend(prefix, of: file, to: size, disk: system) { count in
                    progress.verified.store(count, ordering: .relaxed)
                }
            }.finalize()
        } catch {
            throw error.transferError
        }
    }

    /// Decides about a digest mismatch: a file joined from parts is fetched once more as one piece. Otherwise the error
    /// is final.
    ///
    /// See docs/behaviour/transfers.md#I5.
    private func mismatch(_ wrong: Checksum, _ computed: [Checksum]) async throws(ServiceError) -> ServiceError {
        let found = computed.first { $0.algorithm == wrong.algorithm }
        let sentence = "The file's \(wrong.algorithm.rawValue) is \(found?.hex ?? "another"), not \(wrong.hex)."
        var details = ErrorDetails()
        (details.expected, details.actual) = (wrong, found)
        writes.digest.begin()
        if facts.joined, !facts.restartedByDigest {
            for mirror in sources.usedMirrors { dropSource(mirror, "its bytes gave the file another digest") }
            facts.startOver(note: "restarted: the joined parts did not have the expected digest")
            facts.restartedByDigest = true
            facts.bypassesCaches = true
            facts.rangesOff = true
            try await record()
            // Doubtful, not final: the next attempt fetches the file as one piece.
            return ServiceError(.digestMismatch, sentence, details: details, as: .doubtful)
        }
        try await dropPartialFile()
        facts.identity = nil
        try await record()
        return ServiceError(.digestMismatch, sentence + " The download was removed.", details: details)
    }

    /// Extends the digest over the contiguous written bytes, so that nothing remains to be read when the last byte
    /// arrives.
    func advanceDigest() {
        guard let partial, let (begun, end) = writes.digest.next(after: writes.all(beside: facts.ranges)) else {
            return
        }
        writes.digest.follow(
            with: Task(name: "digest of \(job.id)") {
                let read = await disk.bulk.result { system throws(DiskError) in
                    try FileDigest.extend(begun, of: partial.file, to: end, disk: system)
                }
                if writes.digest.followed(to: end, try? read.get()) { advanceDigest() }
            })
    }
}
