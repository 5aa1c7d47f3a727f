package import FerryCore
import FerryDisk
package import FerryRules

/// Operations on the files of transfers, most of which do not run.
package struct TransferFiles: Sendable {
    let disk: DiskQueue
    let folders: FolderSync

    /// Removes the partial file of a finished transfer.
    ///
    /// - Parameter queue: Queue for the work. `nil` uses the default one.
    package func removePartialFile(_ facts: PartialFacts, on queue: DiskQueue? = nil) async throws(ServiceError) {
        do {
            try await (queue ?? disk.at(.folder(facts.folder))).run { system throws(DiskError) in
                try PartialFile.remove(facts, disk: system)
            }
        } catch {
            throw error.transferError
        }
    }
}
