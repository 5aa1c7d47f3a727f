// Ferry: FerryEngine
// From all bytes to the file in its place.

import FerryCore
import Foundation

extension TransferRun {
    /// Verifies the whole file and places it (steps 7 to 11 of the life of a download).
    func finish() async throws(TransferError) -> Outcome.Success {
        guard let partial else { throw TransferError(.internal, "A complete file is not there.") }
        let size = facts.ranges.upperBound
        // A page about a failure is not what the caller's expected size speaks of.
        let isFile = !facts.notes.contains(BodyNote.statusIsResult.rawValue)
        if let expected = job.request.expectedSize, expected != size, isFile {
            try await dropPartialFile()
            try await record()
            throw TransferError(.lengthMismatch, "The file has \(size) bytes, and \(expected) were expected.")
        }
        try await cutTail(partial, size: size)
        let verified = try await verify(partial, size: size)
        reached(.wholeVerified)
        return try await place(partial, size: size, verified: verified)
    }

    /// Bytes after the last range are no data (spec D4), so they are no part of the file.
    private func cutTail(_ partial: PartialFile, size: Int64) async throws(TransferError) {
        try await onDisk { system throws(DiskError) in
            guard try partial.size() > size else { return }
            try system.truncate(partial.file, to: size)
            try partial.sync()
        }
    }

    // MARK: Digests

    private func verify(_ partial: PartialFile, size: Int64) async throws(TransferError) -> [Checksum] {
        let expected = expectedDigests
        guard !expected.isEmpty else { return [] }
        let algorithms = Set(expected.map(\.algorithm))
        let computed: [Checksum]
        if let digest, digest.count == size, algorithms.isSubset(of: digest.algorithms) {
            computed = digest.finalize()
        } else {
            // The running state was lost with an earlier process, so the file is read once.
            computed = try await onDisk { system throws(DiskError) in
                try FileDigest.compute(algorithms, of: partial.file, size: size, disk: system)
            }.finalize()
        }
        guard let wrong = expected.first(where: { !computed.contains($0) }) else { return Array(Set(expected)) }
        throw try await mismatch(wrong, computed)
    }

    /// What follows from a digest that differs: joined bytes are fetched once more as one piece, others are final (spec I5).
    private func mismatch(_ wrong: Checksum, _ computed: [Checksum]) async throws(TransferError) -> TransferError {
        let found = computed.first { $0.algorithm == wrong.algorithm }?.hex ?? "another"
        let sentence = "The file's \(wrong.algorithm.rawValue) is \(found), not \(wrong.hex)."
        digest = nil
        if facts.joined, !facts.restartedByDigest {
            facts.startOver(note: "restarted: the joined parts did not have the expected digest")
            facts.restartedByDigest = true
            facts.bypassesCaches = true
            facts.rangesOff = true
            try await record()
            // Doubtful rather than final: the next try fetches the file as one piece.
            return TransferError(.digestMismatch, sentence, as: .doubtful)
        }
        try await dropPartialFile()
        facts.identity = nil
        try await record()
        return TransferError(.digestMismatch, sentence + " The download was removed.")
    }

    // MARK: Placement

    func place(
        _ partial: PartialFile, size: Int64, verified: [Checksum]
    ) async throws(TransferError) -> Outcome.Success {
        let folder = try await openSameFolder(partial)
        for _ in 0...9999 {
            guard let destination = facts.destination else {
                throw TransferError(.internal, "A complete file has no destination.")
            }
            facts.placement = PlacementIntent(
                path: destination, device: partial.facts.device, inode: partial.facts.inode, size: size,
                verified: verified)
            try await record()
            reached(.intentCommitted)
            let name = destination.lastPathPart
            try await setAttributes(partial, replacing: name, in: folder)
            reached(.attributesSet)
            let replaces = job.request.onConflict == .replace || job.request.onConflict == .update
            let isPlaced: Bool
            do throws(DiskError) {
                isPlaced = try await engine.disk.run { system throws(DiskError) in
                    try system.rename(partial.facts.name, in: folder, to: name, in: folder, replacing: replaces)
                }
            } catch {
                throw TransferError(
                    .placementFailed, error.transferError.message, details: ErrorDetails(errno: error.errno))
            }
            if isPlaced {
                reached(.renamed)
                return try await placed(folder, destination, size, verified)
            }
            if let success = try await nameTaken(destination, in: folder) { return success }
        }
        throw TransferError(.destinationExists, "No free name was found in \(folder.path.escapingControls).")
    }

    private func placed(
        _ folder: OpenFile, _ path: String, _ size: Int64, _ verified: [Checksum]
    ) async throws(TransferError) -> Outcome.Success {
        do throws(DiskError) {
            try await engine.folders.sync(folder)
        } catch {
            throw error.transferError
        }
        reached(.folderSynced)
        return Outcome.Success(path: path, size: size, verified: verified, lengthVerified: facts.lengthVerified)
    }

    /// Opens the destination's folder again and makes sure that it is still the one that holds the partial file (spec F10).
    private func openSameFolder(_ partial: PartialFile) async throws(TransferError) -> OpenFile {
        let recorded = partial.facts
        let (folder, found) = try await onDisk { system throws(DiskError) in
            let folder = try system.openFolder(recorded.folder)
            return (folder, try system.identity(of: folder))
        }
        guard found.device == recorded.folderDevice, found.inode == recorded.folderInode else {
            throw TransferError(
                .destinationUnwritable, "The folder \(recorded.folder.escapingControls) was replaced by another one.")
        }
        return folder
    }

    private func setAttributes(
        _ partial: PartialFile, replacing name: String, in folder: OpenFile
    ) async throws(TransferError) {
        let request = job.request
        let keepsMode = request.onConflict == .replace || request.onConflict == .update
        let modified = facts.identity?.lastModified.flatMap(HTTPDate.parse)
        let origin = facts.redirects.last ?? facts.finalURL
        try await onDisk { system throws(DiskError) in
            let old = keepsMode ? try system.identity(of: name, in: folder) : nil
            let mode = old.flatMap { $0.kind == .regular ? $0.mode & 0o777 : nil } ?? 0o666 & ~FileMode.umask
            try system.setMode(mode, of: partial.file)
            if request.remoteTime, let modified {
                try system.setModificationTime(Int64(modified.timeIntervalSince1970), of: partial.file)
            }
            if request.originAttribute, let origin, let url = try? HTTPURL(parsing: origin) {
                let plain = url.string.prefix { $0 != "?" && $0 != "#" }
                _ = try system.setAttribute("user.xdg.origin.url", String(plain), of: partial.file)
            }
        }
    }

    /// Applies the conflict policy once more: the name was free at the head and is taken at the end.
    private func nameTaken(_ path: String, in folder: OpenFile) async throws(TransferError) -> Outcome.Success? {
        let name = path.lastPathPart
        switch job.request.onConflict {
        case .skip:
            let found = try await onDisk { system throws(DiskError) in try system.identity(of: name, in: folder) }
            facts.placement = nil
            try await dropPartialFile()
            return Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)
        case .unique:
            facts.placement = nil
            let base = job.request.name.map { $0.lastPathPart } ?? facts.name ?? name
            for number in 1...9999 {
                let next = FileName.numbered(base, number)
                let found = try await onDisk { system throws(DiskError) in try system.identity(of: next, in: folder) }
                guard found == nil else { continue }
                facts.destination = folder.path + "/" + next
                if try await journal.record(facts, of: job.id) { return nil }
            }
            throw Destination.exists(path)
        case .fail, .replace, .update:
            facts.placement = nil
            try await record()
            throw Destination.exists(path)
        }
    }
}
