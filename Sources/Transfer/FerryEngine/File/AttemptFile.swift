import FerryCore
import FerryDisk
import FerryRules
import Foundation

/// The file of an attempt until it is complete: the partial file, its folder, and the name it will get.
final class AttemptFile {
    private let attempt: AttemptState
    private let job: TransferJob

    init(_ attempt: AttemptState) {
        self.attempt = attempt
        job = attempt.job
    }

    /// Creates the partial file and records its facts (docs/behaviour/transfers.md#D1, step 3).
    ///
    /// - Parameter length: The file's length in bytes, or `nil` while it is unknown.
    /// - Returns: The outcome if the name alone decides it (conflict policy `skip`).
    func makeFile(of length: Int64?, isolation: isolated (any Actor)? = #isolation) async throws(ServiceError)
        -> Outcome.Success?
    {
        let folder = try await openDestinationFolder()
        attempt.facts.stamp = nil
        if attempt.partial == nil {
            let id = job.id
            let home = try await openPartialFolder() ?? folder
            attempt.partial = try await attempt.onDisk { system throws(DiskError) in
                try PartialFile.create(for: id, in: home, disk: system)
            }
            attempt.facts.partial = attempt.partial?.facts
            attempt.reached(.partialMade)
        } else if attempt.facts.needsTruncation, let partial = attempt.partial {
            try await attempt.onDisk { _ throws(DiskError) in try partial.truncate() }
        }
        attempt.facts.needsTruncation = false
        await noteMounts()
        if let success = try await claimDestination(in: folder, keepsBytes: job.request.file.partialFolder != nil) {
            return success
        }
        attempt.reached(.identityCommitted)
        try await makeRoom(length)
        attempt.writes.digest.begin(Set(attempt.expectedDigests.map(\.algorithm)))
        return nil
    }

    /// Mode bits to remove from the file and its folders.
    var umask: FileMask { job.request.file.umask ?? attempt.engine.configuration.umask }

    /// The mode of folders created for the file.
    var folderMode: UInt32 { Destination.folderMode(of: job.request, umask: umask) }

    /// Opens the destination folder: the request's, or a subfolder if the caller's name contains folders.
    func openDestinationFolder(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) -> OpenFile {
        let path = Destination.folder(of: job.request)
        try await checkMount(of: path)
        let makes = job.request.file.createFolders
        let allowed = job.request.file.allowedFolders
        let mode = folderMode
        return try await attempt.onDisk { system throws(DiskError) in
            if makes { try system.makeFolders(path, mode: mode, allowed: allowed) }
            return try system.openFolder(path, allowed: allowed)
        }
    }

    /// Opens the partial file's folder, if the request names one.
    private func openPartialFolder(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError)
        -> OpenFile?
    {
        guard let path = job.request.file.partialFolder else { return nil }
        try await checkMount(of: path)
        let allowed = job.request.file.allowedFolders
        let mode = folderMode
        return try await attempt.onDisk { system throws(DiskError) in
            try system.makeFolders(path, mode: mode, allowed: allowed)
            return try system.openFolder(path, allowed: allowed)
        }
    }

    // MARK: Mounts

    /// Notes where the folders are mounted, if that is unknown.
    func noteMounts(isolation: isolated (any Actor)? = #isolation) async {
        for folder in Set([Destination.folder(of: job.request), job.request.file.partialFolder].compactMap { $0 })
        where attempt.facts.partial?.mounts[folder] == nil {
            attempt.facts.partial?.mounts[folder] = await attempt.engine.places.mount(of: folder)
        }
    }

    /// Checks that the disk of a folder is mounted.
    ///
    /// - Throws: ``ServiceError`` with code `destination_unwritable` that waits.
    func checkMount(of folder: String, isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        let recorded = attempt.facts.partial?.mounts[folder]
        if let fault = await attempt.engine.places.fault(of: folder, recorded: recorded) { throw fault }
    }

    /// Checks before the first byte that the file can be placed.
    func checkFolders(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        try await checkMount(of: Destination.folder(of: job.request))
        guard let home = try await openPartialFolder() else { return }
        let place = try await openDestinationFolder()
        try await attempt.onDisk { system throws(DiskError) in
            for folder in [home, place] {
                guard let errno = system.writeObstacle(in: folder) else { continue }
                throw DiskError("Writing to the folder", folder.path, errno: errno)
            }
        }
    }

    /// Finds the destination by the conflict policy, and records it with all other facts in one commit.
    ///
    /// - Parameters:
    ///   - keepsBytes: Whether a taken name affects only the placement, which keeps all bytes.
    ///   - first: The number of the first name to try.
    /// - Returns: The outcome if the existing file stays, else `nil`.
    func claimDestination(
        in folder: OpenFile, keepsBytes: Bool, from first: Int = 0, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Outcome.Success? {
        let rule = ConflictRule(attempt.options.onConflict, at: keepsBytes ? .beforeFetchKeepingBytes : .beforeFetch)
        for candidate in rule.names(of: baseName, from: first) {
            let name = (candidate.number == 0 ? attempt.facts.destination?.lastPathPart : nil) ?? candidate.name
            let found = try await attempt.onDisk { system throws(DiskError) in try system.identity(of: name, in: folder)
            }
            let path = folder.path.appendingPathPart(name)
            switch rule.verdict(on: path, heldBy: found.holder) {
            case .useNextName: continue
            case .take: break
            case .keepExisting:
                try await dropPartialFile()
                return Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)
            case .refuse(let error):
                try await dropPartialFile()
                throw error
            }
            attempt.facts.destination = path
            if try await attempt.journal.record(attempt.facts, of: job.id, isolation: isolation) { return nil }
            attempt.facts.destination = nil
            guard case .refuse(let error) = rule.verdict(on: path, heldBy: .transfer) else { continue }
            if !keepsBytes { try await dropPartialFile() }
            throw error
        }
        if !keepsBytes { try await dropPartialFile() }
        throw ConflictRule.exists(folder.path.appendingPathPart(baseName))
    }

    /// The name that gets a number if it is taken.
    var baseName: String { (attempt.facts.name ?? job.request.file.name ?? FileName.fallback).lastPathPart }

    /// Removes the partial file of a transfer that does not need it.
    func dropPartialFile(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        attempt.partial = nil
        guard let recorded = attempt.facts.partial else { return }
        try await attempt.onDisk { system throws(DiskError) in try PartialFile.remove(recorded, disk: system) }
        attempt.facts.giveUpFile()
    }

    /// - Parameter length: `nil` if only the end of the body determines it.
    private func makeRoom(_ length: Int64?, isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        try await checkSpace(missing: length ?? 0)
        guard let length, length >= 1 << 20, let partial = attempt.partial else { return }
        try await attempt.onDisk { system throws(DiskError) in
            do throws(DiskError) { _ = try system.allocate(partial.file, size: length) } catch {
                if !error.isRefusal { throw error }
            }
        }
    }

    /// Checks the free disk space before the first byte, instead of filling the disk (docs/behaviour/transfers.md#L7).
    func checkSpace(missing: Int64, isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) {
        guard let partial = attempt.partial, missing > 0 || job.reserve > 0 else { return }
        let system = try await attempt.onDisk { system throws(DiskError) in
            try system.fileSystem(of: partial.folder)
        }
        guard let free = system.free else { return }
        // Blocks reserved for this file by a previous attempt do not count as free.
        let reserved = attempt.facts.joined ? missing : 0
        let required = missing.addingSaturated(job.reserve)
        guard free.addingSaturated(reserved) < required else { return }
        var details = ErrorDetails(errno: ENOSPC)
        details.required = required
        details.available = free
        let reserve = job.reserve > 0 ? "; \(ByteText.of(job.reserve)) are kept free" : ""
        throw ServiceError(
            .diskFull,
            "\(ByteText.of(missing)) are needed in \(partial.folder.path.escapingControls), and "
                + "\(ByteText.of(free)) are free\(reserve).",
            details: details)
    }
}
