import FerryCore
import FerryDisk
import FerryEngine
import FerryQueue
import Foundation
import Logging

/// The folder of finished files that their clients have not collected yet. Removes files that no client collects in
/// time.
actor Spool {
    private let queue: LiveQueue
    private let journal: any Journal
    private let actions: Actions
    private let configuration: ServiceConfiguration
    private let folder: String
    private var isOpen = false
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Seconds between sweeps.
    private static let interval = 3600.0
    /// How long a handed-over partial file is kept, in seconds.
    private static let releasedAge = 7.0 * 86_400

    init(_ queue: LiveQueue, journal: any Journal, actions: Actions, _ configuration: ServiceConfiguration) {
        self.queue = queue
        self.journal = journal
        self.actions = actions
        self.configuration = configuration
        folder = configuration.spool
    }

    /// Returns the folder's path, creating it if necessary. Only its user has access.
    func open() throws(ServiceError) -> String {
        guard !isOpen else { return folder }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ServiceError(
                .destinationUnwritable,
                "The spool \(folder.escapingControls) cannot be created: \(error.localizedDescription)")
        }
        isOpen = true
        planSweep()
        return folder
    }

    // MARK: Sweeps

    /// Sets the alarm for the next sweep.
    private func planSweep() { queue.setAlarm(.sweep, after: Self.interval) }

    /// Sweeps after the service has run for a while.
    func sweep() async throws(ServiceError) {
        try await sweep(madeBefore: queue.clock.wall.addingTimeInterval(-Self.interval))
    }

    /// Removes uncollected results, and spool files that belong to no transfer.
    ///
    /// - Parameter limit: Files of transfers created later are kept, because these may not be stored yet.
    func sweep(madeBefore limit: Date) async throws(ServiceError) {
        let now = queue.clock.wall
        let oldest = now.addingTimeInterval(-configuration.resultAge)
        let outdated = try await journal.read { reader throws(ServiceError) in
            try reader.spooledTransfers(endedBefore: oldest)
        }
        if !outdated.isEmpty {
            configuration.logger.notice(
                "dropping results that nobody took", metadata: ["count": "\(outdated.count)"])
            _ = try await actions.act(.remove, on: TransferSelection(ids: outdated))
        }
        let folder = folder
        let disk = queue.engine.disk.at(.folder(folder))
        let listed = await disk.result { _ throws(DiskError) in SpoolFile.all(in: folder) }
        guard case .success(let files?) = listed else { return }
        planSweep()
        for file in files {
            switch file.kind {
            case .released:
                guard now.timeIntervalSince(file.changedAt) > Self.releasedAge else { continue }
            case .ofTransfer:
                let id = file.transfer
                guard Int64(id.rawValue >> 20) < Int64(limit.timeIntervalSince1970 * 1000),
                    try await journal.read({ reader throws(ServiceError) in try reader.record(id) }) == nil
                else { continue }
            }
            _ = await disk.result { _ throws(DiskError) in file.remove() }
        }
    }
}
