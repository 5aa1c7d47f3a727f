import FerryCore
import FerryDisk
import FerryRules

/// Gives durable small files their final names, and makes the names durable.
struct SmallFileNamer {
    /// The outcome of naming a file.
    enum Name: Sendable {
        /// The name is durable.
        case given
        /// The file still has its partial file's name.
        case notGiven
        /// The file was removed, because its intent was not recorded.
        case removed
        /// The file has the name, but the name may not be durable.
        case inDoubt(DiskError)
    }

    let disk: any DiskSystem
    let reached: @Sendable (LifecycleStep) -> Void

    /// Names files with a recorded intent, and removes the files without one: another transfer has claimed their
    /// destination.
    func name(_ files: [(file: SmallFiles.File, partial: SmallFileWriter.Written, isRecorded: Bool)]) -> [Name] {
        var names = files.map { file, partial, isRecorded -> Name in
            let written = partial.file
            guard isRecorded else {
                try? PartialFile.remove(written.facts, disk: disk)
                return .removed
            }
            let naming = try? PlacedSource(written).rename(
                to: file.name, in: written.folder, replacing: file.rule.replaces, disk)
            guard naming == .given else { return .notGiven }
            reached(.renamed)
            return .given
        }
        var synced: [ObjectIdentifier: DiskError?] = [:]
        for (index, name) in names.enumerated() {
            guard case .given = name else { continue }
            let folder = files[index].partial.file.folder
            let key = ObjectIdentifier(folder)
            let failure = synced[key] ?? sync(folder)
            synced[key] = failure
            if let failure { names[index] = .inDoubt(failure) }
        }
        reached(.folderSynced)
        return names
    }

    private func sync(_ folder: OpenFile) -> DiskError? {
        do throws(DiskError) {
            try disk.syncNames(in: folder)
            return nil
        } catch {
            return error
        }
    }
}
