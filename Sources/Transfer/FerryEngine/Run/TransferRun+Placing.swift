import FerryCore
import FerryRules
import Foundation

extension TransferRun {
    /// Places the complete file (docs/behaviour/transfers.md#D1, steps 8 to 11).
    ///
    /// A failure keeps all bytes in the partial file.
    func place(
        _ partial: PartialFile, size: Int64, _ judged: JudgedDigests
    ) async throws(ServiceError) -> Outcome.Success {
        cost.isWhole = true
        await journal.isWhole(job.id, inMemory: false, isolation: self)
        do throws(ServiceError) {
            let folder = try await openPlace(partial)
            if facts.destination == nil, let success = try await claimAnew(in: folder) { return success }
            return try await place(partial, size: size, judged, in: folder)
        } catch {
            if facts.copy != nil {
                try? await dropCopy()
                try? await record()
            }
            throw error
        }
    }

    private func place(
        _ partial: PartialFile, size: Int64, _ judged: JudgedDigests, in folder: OpenFile
    ) async throws(ServiceError) -> Outcome.Success {
        var source = try await source(partial, size: size, for: folder)
        for _ in 0...9999 {
            guard let destination = facts.destination else {
                throw ServiceError(.internal, "A complete file has no destination.")
            }
            facts.placement = PlacementIntent(
                path: destination, device: source.device, inode: source.inode, size: size, verified: judged.verified,
                mismatched: judged.mismatched)
            // The attributes are about to change.
            facts.stamp = nil
            try await record()
            reached(.intentCommitted)
            switch try await rename(source, to: destination.lastPathPart, in: folder) {
            case .placed(let modified): return try await placed(folder, size, modified, judged)
            case .isTaken:
                if let success = try await nameTaken(destination, in: folder) { return success }
            case .isElsewhere:
                facts.placement = nil
                source = try await copy(partial, size: size, to: folder)
            case .isLost: throw source.lost
            }
        }
        throw ServiceError(.destinationExists, "No free name was found in \(folder.path.escapingControls).")
    }

    private enum Renaming: Sendable {
        /// The file has its name. `modified` is its modification time in nanoseconds, if known.
        case placed(modified: Int64?)
        case isTaken
        /// The folder is on another file system.
        case isElsewhere
        /// Another file has the name of the verified one.
        case isLost
    }

    /// Sets the attributes and the final name of a complete file.
    private func rename(
        _ source: PlacedSource, to name: String, in folder: OpenFile
    ) async throws(ServiceError) -> Renaming {
        let attributes = attributes
        let replaces = options.placementRule.replaces
        let reached = engine.configuration.reached
        let result = await disk.result { system throws(DiskError) -> Result<Renaming, DiskError> in
            try attributes.set(on: source.file, replacing: name, in: folder, system)
            reached(.attributesSet)
            // Failures from here on are placement failures.
            return Result { () throws(DiskError) in
                switch try source.rename(to: name, in: folder, replacing: replaces, system) {
                case .isTaken: return .isTaken
                case .isLost: return .isLost
                case .given:
                    reached(.renamed)
                    return .placed(modified: try? system.identity(of: source.file).modified)
                }
            }
        }
        switch result {
        case .success(.success(let renaming)): return renaming
        case .failure(let error): throw error.transferError
        case .success(.failure(let error)):
            if error.errno == EXDEV, job.request.file.partialFolder != nil, facts.copy == nil { return .isElsewhere }
            throw ServiceError(
                .placementFailed, error.transferError.message, details: ErrorDetails(errno: error.errno))
        }
    }

    private func placed(
        _ folder: OpenFile, _ size: Int64, _ modified: Int64?, _ judged: JudgedDigests
    ) async throws(ServiceError) -> Outcome.Success {
        do throws(DiskError) {
            try await engine.folders.sync(folder, on: disk)
        } catch {
            throw error.transferError
        }
        reached(.folderSynced)
        return try await settlePlaced(in: folder, size: size, modified: modified, judged)
    }

    /// Records the identity of the placed file, and removes the partial file that a copy was made from.
    ///
    /// - Parameter modified: The file's modification time in nanoseconds. `nil` reads it.
    func settlePlaced(
        in folder: OpenFile, size: Int64, modified: Int64? = nil, _ judged: JudgedDigests
    ) async throws(ServiceError) -> Outcome.Success {
        var judged = judged
        let path = facts.placement?.path ?? ""
        if options.onMismatch == .keep, !judged.cover(options.checksums) {
            // Requested while the file was being placed.
            let placement = facts.placement
            let opened = await disk.result { system throws(DiskError) -> OpenFile? in
                let file = try system.openFile(path.lastPathPart, in: folder)
                let found = try system.identity(of: file)
                // If another file has the name, its digest says nothing about this one.
                return found.device == placement?.device && found.inode == placement?.inode ? file : nil
            }
            if case .success(let file?) = opened {
                let expected = expectedDigests
                let computed = try await compute(Set(expected.map(\.algorithm)), of: file, size: size)
                judged = JudgedDigests(computed, expected: expected)
            }
        }
        if let modified {
            facts.placement?.modified = modified
        } else {
            facts.placement?.modified = try await onDisk { system throws(DiskError) in
                try system.identity(of: path.lastPathPart, in: folder)?.modified
            }
        }
        if facts.copy != nil {
            if let recorded = facts.partial {
                try await onDisk { system throws(DiskError) in try PartialFile.remove(recorded, disk: system) }
            }
            facts.copy = nil
        }
        return Outcome.Success(
            path: path, size: size, verified: judged.verified, mismatched: judged.mismatched,
            lengthVerified: facts.lengthVerified)
    }

    // MARK: The folder and the name

    /// Reopens the destination's folder (docs/behaviour/transfers.md#F10).
    ///
    /// If it also holds the partial file, it must still be the same folder.
    private func openPlace(_ partial: PartialFile) async throws(ServiceError) -> OpenFile {
        if job.request.file.partialFolder != nil { return try await openDestinationFolder() }
        let recorded = partial.facts
        let allowed = job.request.file.allowedFolders
        let (folder, found) = try await onDisk { system throws(DiskError) in
            let folder = try system.openFolder(recorded.folder, allowed: allowed)
            return (folder, try system.identity(of: folder))
        }
        guard found.device == recorded.folderDevice, found.inode == recorded.folderInode else {
            throw ServiceError(
                .destinationUnwritable, "The folder \(recorded.folder.escapingControls) was replaced by another one.")
        }
        return folder
    }

    /// Chooses a new destination if the name was taken or changed since the head was received.
    private func claimAnew(in folder: OpenFile) async throws(ServiceError) -> Outcome.Success? {
        if facts.name == nil {
            let original = try sources.original.get()
            let disposition = facts.response?.fields.first { $0.isNamed("Content-Disposition") }?.value
            facts.name = FileName.choose(
                callerName: job.request.file.name, contentDisposition: disposition, originalURL: original,
                finalURL: facts.finalURL.flatMap { try? HTTPURL(parsing: $0) } ?? original,
                nameFrom: job.request.file.nameFrom)
        }
        return try await claimDestination(in: folder, keepsBytes: true)
    }

    /// Applies the conflict policy again: the name was free at the head and is taken at the end.
    ///
    /// - Returns: The outcome if the existing file stays, or `nil` to attempt the destination, which may have changed.
    private func nameTaken(_ path: String, in folder: OpenFile) async throws(ServiceError) -> Outcome.Success? {
        let name = path.lastPathPart
        facts.placement = nil
        let rule = options.placementRule
        let found = try await onDisk { system throws(DiskError) in try system.identity(of: name, in: folder) }
        switch rule.verdict(on: path, heldBy: found.holder) {
        case .take: return nil
        case .useNextName: return try await claimDestination(in: folder, keepsBytes: true, from: 1)
        case .keepExisting:
            if facts.copy != nil { try await dropCopy() }
            try await dropPartialFile()
            return Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)
        case .refuse(let error):
            try await record()
            throw error
        }
    }

    /// The attributes set before the final name.
    var attributes: PlacedAttributes {
        PlacedAttributes(job.request, facts, options, umask: engine.configuration.umask)
    }

    // MARK: Another file system

    /// Bytes copied between two checks for a stop.
    private static let copiedAtOnce: Int64 = 32 << 20

    /// Returns the file that gets the final name: the partial file, or a copy if the folder is on another file system.
    private func source(
        _ partial: PartialFile, size: Int64, for folder: OpenFile
    ) async throws(ServiceError) -> PlacedSource {
        if job.request.file.partialFolder != nil {
            let place = try await onDisk { system throws(DiskError) in try system.identity(of: folder) }
            if place.device != partial.facts.device { return try await copy(partial, size: size, to: folder) }
        }
        return PlacedSource(partial)
    }

    /// Copies the complete file to the target folder, and makes the copy durable.
    ///
    /// The journal records the copy before it exists, so that it never outlives the transfer.
    private func copy(
        _ partial: PartialFile, size: Int64, to folder: OpenFile
    ) async throws(ServiceError) -> PlacedSource {
        let name = PartialFile.copyName(of: job.id)
        let id = job.id
        facts.copy = folder.path.appendingPathPart(name)
        try await record()
        let path = facts.copy ?? ""
        let copy = try await onDisk { system throws(DiskError) in
            try PartialFile.removeCopy(path, of: id, disk: system)
            return try system.createFile(name, in: folder)
        }
        reached(.copyMade)
        var position: Int64 = 0
        while position < size {
            try checkStopping()
            let range = position..<min(size, position + Self.copiedAtOnce)
            do {
                try await disk.bulk.run { system throws(DiskError) in
                    try PartialFile.copy(range, of: partial.file, to: copy, disk: system)
                }
            } catch {
                throw error.transferError
            }
            position = range.upperBound
        }
        let made = try await onDisk { system throws(DiskError) in
            try system.syncData(copy)
            return try system.identity(of: copy)
        }
        reached(.copySynced)
        return PlacedSource(folder: folder, file: copy, name: name, device: made.device, inode: made.inode)
    }

    /// Removes a copy left by an earlier attempt or not needed by this one.
    func dropCopy() async throws(ServiceError) {
        guard let path = facts.copy else { return }
        let id = job.id
        try await onDisk { system throws(DiskError) in try PartialFile.removeCopy(path, of: id, disk: system) }
        facts.copy = nil
    }
}
