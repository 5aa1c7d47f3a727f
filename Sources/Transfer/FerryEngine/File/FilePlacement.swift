import FerryCore
import FerryDisk
import FerryRules
import Foundation

/// Gives the complete file of an attempt its final name.
final class FilePlacement {
    private let attempt: AttemptState
    private let job: TransferJob
    private let file: AttemptFile
    private let verification: FileVerification

    init(_ attempt: AttemptState, file: AttemptFile, verification: FileVerification) {
        self.attempt = attempt
        job = attempt.job
        self.file = file
        self.verification = verification
    }

    /// Verifies the complete file and places it (docs/behaviour/transfers.md#D1, steps 7 to 11).
    func finish(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) -> Outcome.Success {
        // A server may also say that nothing is missing where no file was made: all of an empty one.
        if attempt.partial == nil, attempt.facts.ranges.isEmpty, let success = try await file.makeFile(of: 0) {
            return success
        }
        guard let partial = attempt.partial else { throw ServiceError(.internal, "A complete file is not there.") }
        let size = attempt.facts.ranges.upperBound
        // The caller's expected size does not apply to an error page.
        let isFile = !attempt.facts.notes.contains(BodyNote.statusIsResult.rawValue)
        if let expected = job.request.response.expectedSize, expected != size, isFile {
            try await file.dropPartialFile()
            try await attempt.record()
            throw ServiceError(.lengthMismatch, "The file has \(size) bytes, and \(expected) were expected.")
        }
        let judged = try await verification.judge(partial, size: size)
        attempt.reached(.wholeVerified)
        return try await place(partial, size: size, judged)
    }

    /// Places the complete file (docs/behaviour/transfers.md#D1, steps 8 to 11).
    ///
    /// A failure keeps all bytes in the partial file.
    func place(
        _ partial: PartialFile, size: Int64, _ judged: JudgedDigests, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Outcome.Success {
        attempt.cost.isWhole = true
        await attempt.journal.isWhole(job.id, inMemory: false, isolation: isolation)
        attempt.options.rename(&attempt.facts)
        do throws(ServiceError) {
            let folder = try await openPlace(partial)
            if attempt.facts.destination == nil, let success = try await claimAnew(in: folder) { return success }
            return try await place(partial, size: size, judged, in: folder)
        } catch {
            if attempt.facts.copy != nil {
                try? await dropCopy()
                try? await attempt.record()
            }
            throw error
        }
    }

    private func place(
        _ partial: PartialFile, size: Int64, _ judged: JudgedDigests, in folder: OpenFile,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Outcome.Success {
        var source = try await source(partial, size: size, for: folder)
        for _ in 0...9999 {
            guard let destination = attempt.facts.destination else {
                throw ServiceError(.internal, "A complete file has no destination.")
            }
            attempt.facts.placement = PlacementIntent(
                path: destination, device: source.device, inode: source.inode, size: size, verified: judged.verified,
                mismatched: judged.mismatched)
            // The attributes are about to change.
            attempt.facts.stamp = nil
            try await attempt.record()
            attempt.reached(.intentCommitted)
            switch try await rename(source, to: destination.lastPathPart, in: folder) {
            case .placed(let modified, let notes):
                for note in notes { attempt.facts.add(note) }
                return try await placed(folder, size, modified, judged)
            case .isTaken:
                if let success = try await nameTaken(destination, in: folder) { return success }
            case .isElsewhere:
                attempt.facts.placement = nil
                source = try await copy(partial, size: size, to: folder)
            case .isLost: throw source.lost
            }
        }
        throw ServiceError(.destinationExists, "No free name was found in \(folder.path.escapingControls).")
    }

    private enum Renaming: Sendable {
        /// The file has its name. `modified` is its modification time in nanoseconds, if known.
        case placed(modified: Int64?, notes: [String])
        case isTaken
        /// The folder is on another file system.
        case isElsewhere
        /// Another file has the name of the verified one.
        case isLost
    }

    /// Sets the attributes and the final name of a complete file.
    private func rename(
        _ source: PlacedSource, to name: String, in folder: OpenFile, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Renaming {
        let attributes = await attributes()
        let replaces = attempt.options.placementRule.replaces
        let reached = attempt.engine.configuration.reached
        let result = await attempt.disk.result { system throws(DiskError) -> Result<Renaming, DiskError> in
            let notes = try attributes.set(on: source.file, replacing: name, in: folder, system)
            reached(.attributesSet)
            // Failures from here on are placement failures.
            return Result { () throws(DiskError) in
                switch try source.rename(to: name, in: folder, replacing: replaces, system) {
                case .isTaken: return .isTaken
                case .isLost: return .isLost
                case .given:
                    reached(.renamed)
                    return .placed(modified: try? system.identity(of: source.file).modified, notes: notes)
                }
            }
        }
        switch result {
        case .success(.success(let renaming)): return renaming
        case .failure(let error): throw error.transferError
        case .success(.failure(let error)):
            if error.errno == EXDEV, job.request.file.partialFolder != nil, attempt.facts.copy == nil {
                return .isElsewhere
            }
            throw ServiceError(
                .placementFailed, error.transferError.message, details: ErrorDetails(errno: error.errno))
        }
    }

    private func placed(
        _ folder: OpenFile, _ size: Int64, _ modified: Int64?, _ judged: JudgedDigests,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Outcome.Success {
        do throws(DiskError) {
            try await attempt.engine.files.folders.sync(folder, on: attempt.disk)
        } catch {
            throw error.transferError
        }
        attempt.reached(.folderSynced)
        return try await settlePlaced(in: folder, size: size, modified: modified, judged)
    }

    /// Records the identity of the placed file, and removes the partial file that a copy was made from.
    ///
    /// - Parameter modified: The file's modification time in nanoseconds. `nil` reads it.
    func settlePlaced(
        in folder: OpenFile, size: Int64, modified: Int64? = nil, _ judged: JudgedDigests,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Outcome.Success {
        var judged = judged
        let path = attempt.facts.placement?.path ?? ""
        if attempt.options.onMismatch == .keep, !judged.cover(attempt.options.checksums) {
            // Requested while the file was being placed.
            let placement = attempt.facts.placement
            let opened = await attempt.disk.result { system throws(DiskError) -> OpenFile? in
                let file = try system.openFile(path.lastPathPart, in: folder)
                let found = try system.identity(of: file)
                // If another file has the name, its digest says nothing about this one.
                return placement?.describes(found) == true ? file : nil
            }
            if case .success(let file?) = opened {
                let expected = attempt.expectedDigests
                let computed = try await verification.compute(Set(expected.map(\.algorithm)), of: file, size: size)
                judged = JudgedDigests(computed, expected: expected)
            }
        }
        if let modified {
            attempt.facts.placement?.modified = modified
        } else {
            attempt.facts.placement?.modified = try await attempt.onDisk { system throws(DiskError) in
                try system.identity(of: path.lastPathPart, in: folder)?.modified
            }
        }
        if attempt.facts.copy != nil {
            if let recorded = attempt.facts.partial {
                try await attempt.onDisk { system throws(DiskError) in try PartialFile.remove(recorded, disk: system) }
            }
            attempt.facts.copy = nil
        }
        return Outcome.Success(
            path: path, size: size, verified: judged.verified, mismatched: judged.mismatched,
            lengthVerified: attempt.facts.lengthVerified)
    }

    // MARK: The folder and the name

    /// Reopens the destination's folder (docs/behaviour/transfers.md#F10).
    ///
    /// If it also holds the partial file, it must still be the same folder.
    private func openPlace(_ partial: PartialFile, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> OpenFile
    {
        if job.request.file.partialFolder != nil { return try await file.openDestinationFolder() }
        let recorded = partial.facts
        let allowed = job.request.file.allowedFolders
        let source = PlacedSource(partial)
        let folder = try await attempt.onDisk { system throws(DiskError) -> OpenFile? in
            let folder = try system.openFolder(recorded.folder, allowed: allowed)
            let found = try system.identity(of: folder)
            if found.device == recorded.folderDevice, found.inode == recorded.folderInode { return folder }
            // Some file systems of FUSE number folders anew: then the partial file is there.
            guard let file = try system.identity(of: recorded.name, in: folder),
                try source.isOpenFile(file, recorded.name, in: folder, system)
            else { return nil }
            return folder
        }
        guard let folder else {
            throw ServiceError(
                .destinationUnwritable, "The folder \(recorded.folder.escapingControls) was replaced by another one.")
        }
        return folder
    }

    /// Chooses a new destination if the name was taken or changed since the head was received.
    private func claimAnew(in folder: OpenFile, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> Outcome.Success?
    {
        if attempt.facts.name == nil {
            let original = try attempt.sources.original.get()
            let disposition = attempt.facts.response?.fields.first { $0.isNamed("Content-Disposition") }?.value
            attempt.facts.name = FileName.choose(
                callerName: attempt.options.name, contentDisposition: disposition, originalURL: original,
                finalURL: attempt.facts.finalURL.flatMap { try? HTTPURL(parsing: $0) } ?? original,
                nameFrom: job.request.file.nameFrom)
        }
        return try await file.claimDestination(in: folder, keepsBytes: true)
    }

    /// Applies the conflict policy again: the name was free at the head and is taken at the end.
    ///
    /// - Returns: The outcome if the existing file stays, or `nil` to attempt the destination, which may have changed.
    private func nameTaken(_ path: String, in folder: OpenFile, isolation: isolated (any Actor)? = #isolation)
        async throws(ServiceError) -> Outcome.Success?
    {
        let name = path.lastPathPart
        attempt.facts.placement = nil
        let rule = attempt.options.placementRule
        let found = try await attempt.onDisk { system throws(DiskError) in try system.identity(of: name, in: folder) }
        switch rule.verdict(on: path, heldBy: found.holder) {
        case .take: return nil
        case .useNextName: return try await file.claimDestination(in: folder, keepsBytes: true, from: 1)
        case .keepExisting:
            if attempt.facts.copy != nil { try await dropCopy() }
            try await file.dropPartialFile()
            return Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)
        case .refuse(let error):
            try await attempt.record()
            throw error
        }
    }

    /// The attributes set before the final name.
    private func attributes(isolation: isolated (any Actor)? = #isolation) async -> PlacedAttributes {
        var attributes = PlacedAttributes(
            job.request, attempt.facts, attempt.options, umask: attempt.engine.configuration.umask)
        // Only a file that was created in the folder has its access list.
        if job.request.file.partialFolder == nil || attempt.facts.copy != nil {
            attributes.mode =
                await attempt.engine.places.newFileMode(in: Destination.folder(of: job.request)) ?? attributes.mode
        }
        return attributes
    }

    // MARK: Another file system

    /// Bytes copied between two checks for a stop.
    private static let copiedAtOnce: Int64 = 32 << 20

    /// Returns the file that gets the final name: the partial file, or a copy if the folder is on another file system.
    private func source(
        _ partial: PartialFile, size: Int64, for folder: OpenFile, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> PlacedSource {
        if job.request.file.partialFolder != nil {
            let place = try await attempt.onDisk { system throws(DiskError) in try system.identity(of: folder) }
            if place.device != partial.facts.device { return try await copy(partial, size: size, to: folder) }
        }
        return PlacedSource(partial)
    }

    /// Copies the complete file to the target folder, and makes the copy durable.
    ///
    /// The journal records the copy before it exists, so that it never outlives the transfer.
    private func copy(
        _ partial: PartialFile, size: Int64, to folder: OpenFile, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> PlacedSource {
        let name = PartialFile.copyName(of: job.id)
        let id = job.id
        attempt.facts.copy = folder.path.appendingPathPart(name)
        try await attempt.record()
        let path = attempt.facts.copy ?? ""
        let copy = try await attempt.onDisk { system throws(DiskError) in
            try PartialFile.removeCopy(path, of: id, disk: system)
            return try system.createFile(name, in: folder)
        }
        attempt.reached(.copyMade)
        var position: Int64 = 0
        while position < size {
            try attempt.checkStopping()
            let range = position..<min(size, position + Self.copiedAtOnce)
            do {
                try await attempt.disk.bulk.run { system throws(DiskError) in
                    try PartialFile.copy(range, of: partial.file, to: copy, disk: system)
                }
            } catch {
                throw error.transferError
            }
            position = range.upperBound
        }
        let made = try await attempt.onDisk { system throws(DiskError) in
            try system.syncData(copy)
            return try system.identity(of: copy)
        }
        attempt.reached(.copySynced)
        return PlacedSource(folder: folder, file: copy, name: name, device: made.device, inode: made.inode)
    }

    /// Removes a copy left by an earlier attempt or not needed by this one.
    func dropCopy(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        guard let path = attempt.facts.copy else { return }
        let id = job.id
        try await attempt.onDisk { system throws(DiskError) in try PartialFile.removeCopy(path, of: id, disk: system) }
        attempt.facts.copy = nil
    }
}
