import FerryCore
import FerryDisk
import FerryRules
import Foundation
import Synchronization

/// Verifies the complete file of an attempt: its length and its digests.
final class FileVerification {
    private let attempt: AttemptState
    private let job: TransferJob
    private let file: AttemptFile

    init(_ attempt: AttemptState, file: AttemptFile) {
        self.attempt = attempt
        job = attempt.job
        self.file = file
    }

    /// Verifies the complete file: its length, the servers' digests of responses, and all digests of the whole.
    func judge(
        _ partial: PartialFile, size: Int64, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> JudgedDigests {
        try await cutTail(partial, size: size)
        try await comparePendingDigests(partial, size: size)
        return try await verify(partial, size: size)
    }

    /// Truncates the file after the last range. Bytes after it are not data (docs/behaviour/transfers.md#D4).
    ///
    /// - Throws: ``ServiceError`` with code `partial_lost` if bytes before it are missing because another program
    ///   truncated the file.
    private func cutTail(_ partial: PartialFile, size: Int64, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError)
    {
        let (found, hasHole) = try await attempt.onDisk { system throws(DiskError) in
            (try partial.size(), system.hasHole(partial.file, before: size))
        }
        guard found >= size, !hasHole else {
            attempt.writes.digest.begin()
            attempt.facts.loseBytes(note: "restarted: another program has changed the partial file")
            try await attempt.record()
            throw ServiceError(
                .partialLost,
                "Another program has truncated \(partial.facts.path.escapingControls) while it was written.")
        }
        guard found > size else { return }
        if attempt.facts.stamp != nil {
            attempt.facts.stamp = nil
            try await attempt.record()
        }
        try await attempt.onDisk { system throws(DiskError) in
            try system.truncate(partial.file, to: size)
            try partial.sync()
        }
    }

    // MARK: Digests

    /// Compares the complete file with digests that servers stated for responses that were not read to their end.
    /// Removes the ranges that differ (docs/behaviour/transfers.md#I3).
    private func comparePendingDigests(
        _ partial: PartialFile, size: Int64, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) {
        var difference: Checksum?
        for stated in attempt.facts.pendingDigests.digests {
            let range = stated.range(inSize: size)
            let computed: RunningDigest
            do {
                computed = try await attempt.disk.bulk.run { system throws(DiskError) in
                    try FileDigest.extend(
                        RunningDigest(stated.algorithms), of: partial.file, from: range.lowerBound,
                        to: range.upperBound, disk: system)
                }
            } catch {
                throw error.transferError
            }
            attempt.facts.pendingDigests.remove(stated)
            guard let wrong = stated.difference(from: computed.finalize()) else { continue }
            attempt.facts.ranges.remove(range)
            difference = wrong
        }
        guard let difference else { return }
        attempt.writes.digest.begin()
        job.progress.received.store(attempt.facts.ranges.byteCount, ordering: .relaxed)
        try await attempt.record()
        throw ServiceError.contentFault(difference)
    }

    /// Compares the complete file with all expected digests, including ones requested while it is being read.
    func verify(_ partial: PartialFile, size: Int64, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> JudgedDigests
    {
        while true {
            let options = attempt.options
            let given = options.checksums
            let stated = attempt.facts.identity?.reprDigests ?? []
            let computed = try await compute(Set((given + stated).map(\.algorithm)), of: partial.file, size: size)
            guard attempt.options == options else { continue }
            let judged = JudgedDigests(computed, expected: given + stated)
            // The server's own digest shows damage in transit, regardless of the caller's rule for its own digests.
            let binding = options.onMismatch == .fail ? given + stated : stated
            guard let wrong = binding.first(where: { !computed.contains($0) }) else { return judged }
            throw try await mismatch(wrong, computed)
        }
    }

    /// Computes the digests of a whole file: from the passing bytes, or from the file if that state was lost.
    func compute(
        _ algorithms: Set<DigestAlgorithm>, of file: OpenFile, size: Int64,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> [Checksum] {
        guard !algorithms.isEmpty else { return [] }
        let prefix = attempt.writes.digest.begun(algorithms, size: size)
        guard prefix.count < size else { return prefix.finalize() }
        let progress = job.progress
        progress.verified.store(prefix.count, ordering: .relaxed)
        defer { progress.verified.store(-1, ordering: .relaxed) }
        do {
            return try await attempt.disk.bulk.run { system throws(DiskError) in
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
    private func mismatch(_ wrong: Checksum, _ computed: [Checksum], isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> ServiceError
    {
        let found = computed.first { $0.algorithm == wrong.algorithm }
        let sentence = "The file's \(wrong.algorithm.rawValue) is \(found?.hex ?? "another"), not \(wrong.hex)."
        var details = ErrorDetails()
        (details.expected, details.actual) = (wrong, found)
        attempt.writes.digest.begin()
        if attempt.facts.joined, !attempt.facts.restartedByDigest {
            for mirror in attempt.sources.usedMirrors {
                attempt.dropSource(mirror, "its bytes gave the file another digest")
            }
            attempt.facts.startOver(note: "restarted: the joined parts did not have the expected digest")
            attempt.facts.restartedByDigest = true
            attempt.facts.bypassesCaches = true
            attempt.facts.rangesOff = true
            try await attempt.record()
            // Doubtful, not final: the next attempt fetches the file as one piece.
            return ServiceError(.digestMismatch, sentence, details: details, as: .doubtful)
        }
        try await file.dropPartialFile()
        attempt.facts.identity = nil
        try await attempt.record()
        return ServiceError(.digestMismatch, sentence + " The download was removed.", details: details)
    }
}

extension ServiceError {
    /// Returns the error for content that does not match the server's digest.
    static func contentFault(_ wrong: Checksum) -> ServiceError {
        ServiceError(
            .badResponse,
            "The received data does not have the \(wrong.algorithm.rawValue) digest that the server stated.")
    }
}
