import FerryCore
import FerryDisk
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// The files of succeeded transfers: checks whether they are unchanged, and renames them.
struct PlacedFiles: Sendable {
    let engine: Engine
    let journal: any Journal

    /// Whether a succeeded transfer's file exists unchanged.
    func isIntact(_ record: TransferRecord) async -> Bool {
        guard case .succeeded(let success) = record.outcome else { return false }
        if let placement = record.facts.placement { return await engine.files.isPlacedFileIntact(placement) }
        let path = success.path
        let found = await engine.disk.at(.folder(path.folderPart)).result { system throws(DiskError) in
            try system.identity(of: path.lastPathPart, in: system.openFolder(path.folderPart))
        }
        guard case .success(let file?) = found else { return false }
        return file.kind == .regular && file.size == success.size
    }

    // MARK: Names

    /// Renames a succeeded transfer's file within its folder, by the conflict policy.
    ///
    /// The journal stores the old and new path before the file is renamed, so that a start after a crash can check
    /// both.
    /// - Throws: ``ServiceError`` with code `invalid_request` if the file has changed since it was placed, and
    ///   `destination_exists`.
    func rename(
        _ record: TransferRecord, _ success: Outcome.Success, to name: String, policy: ConflictPolicy
    ) async throws(ServiceError) {
        try CallerPath.check(name)
        guard !name.contains("/"), !record.request.file.spooled, !success.unchanged,
            let placement = record.facts.placement
        else {
            throw ServiceError(.invalidRequest, "The file of \(record.id) is already in its place.")
        }
        guard name != success.path.lastPathPart else { return }
        guard await engine.files.isPlacedFileIntact(placement) else {
            throw ServiceError(
                .invalidRequest, "\(success.path.escapingControls) is not the file that \(record.id) placed there.")
        }
        let folder = success.path.folderPart
        let rule = ConflictRule(policy, at: .rename)
        for candidate in rule.names(of: name) {
            let path = folder.appendingPathPart(candidate.name)
            if try await rename(record, placement, to: path, by: rule) { return }
        }
        throw ConflictRule.exists(folder.appendingPathPart(name))
    }

    /// Tries one name.
    ///
    /// - Returns: False, with nothing changed, if the name is taken.
    private func rename(
        _ record: TransferRecord, _ placement: PlacementIntent, to path: String, by rule: ConflictRule
    ) async throws(ServiceError) -> Bool {
        switch rule.verdict(on: path, heldBy: await engine.files.holder(of: path)) {
        case .take: break
        case .refuse(let error): throw error
        case .useNextName, .keepExisting: return false
        }
        var intended = placement
        intended.path = path
        intended.formerPath = placement.path
        guard try await recordPlace(record.id, intended) else {
            if case .refuse(let error) = rule.verdict(on: path, heldBy: .transfer) { throw error }
            return false
        }
        let isRenamed: Bool
        do throws(ServiceError) {
            isRenamed = try await engine.files.renamePlacedFile(
                placement, to: path.lastPathPart, replacing: rule.replaces)
        } catch {
            // The file may have its new name all the same, if only the sync of its folder failed.
            var renamed = record
            renamed.facts.placement = intended
            try await recoverName(of: renamed, on: engine.disk.at(.folder(path.folderPart)))
            throw error
        }
        intended.formerPath = nil
        _ = try await recordPlace(record.id, isRenamed ? intended : placement)
        return isRenamed
    }

    /// Records the path of a succeeded transfer's file.
    ///
    /// - Returns: False, with nothing changed, if another live transfer has reserved that path.
    func recordPlace(_ id: TransferID, _ placement: PlacementIntent) async throws(ServiceError) -> Bool {
        try await journal.commit { transaction throws(ServiceError) in
            guard var record = try transaction.record(id), case .succeeded(var success) = record.outcome else {
                return false
            }
            if placement.formerPath != nil, try transaction.destinationHolder(placement.path) != nil {
                return false
            }
            success.path = placement.path
            record.outcome = .succeeded(success)
            record.facts.placement = placement
            record.facts.destination = placement.path
            record.facts.name = placement.path.lastPathPart
            // Keep the folders in a name chosen by the caller.
            let above = (record.request.file.name ?? "").folderPart
            record.request.file.name = (above.isEmpty ? "" : above + "/") + placement.path.lastPathPart
            try transaction.update(record)
            return true
        }
    }

    /// Determines after a crash whether a pending rename took place.
    ///
    /// - Parameter queue: The disk queue to use.
    func recoverName(of record: TransferRecord, on queue: DiskQueue) async throws(ServiceError) {
        guard var placement = record.facts.placement, let former = placement.formerPath else { return }
        placement.formerPath = nil
        var old = placement
        old.path = former
        let isOld = await engine.files.isPlacedFileIntact(old, on: queue)
        _ = try await recordPlace(record.id, isOld ? old : placement)
    }
}
