// Ferry: FerryEngine
// One fsync for all placements of a moment in one folder.

/// Syncs folders; placements that wait for the same folder share one `fsync`.
package actor FolderSync {
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The sync that has not begun; who comes before it begins shares it.
    private var pending: [Key: Task<Result<Void, DiskError>, Never>] = [:]
    private var running: [Key: Task<Result<Void, DiskError>, Never>] = [:]

    package init() {}

    /// Returns once every name that was in the folder before the call is durable.
    package func sync(_ folder: OpenFile, on disk: DiskQueue) async throws(DiskError) {
        let place = try await disk.run { system throws(DiskError) in try system.identity(of: folder) }
        let key = Key(device: place.device, inode: place.inode)
        if let task = pending[key] { return try await task.value.get() }
        let previous = running[key]
        let task = Task(name: "sync of \(folder.path)") {
            _ = await previous?.value
            self.begin(key)
            return await disk.result { system throws(DiskError) in try system.syncFolder(folder) }
        }
        pending[key] = task
        defer { if running[key] == task { running[key] = nil } }
        try await task.value.get()
    }

    private func begin(_ key: Key) { running[key] = pending.removeValue(forKey: key) }
}
