import FerryCore
import FerryDisk
import FerryRules
import NIOCore
import Synchronization

/// Finds the file systems of folders, so that work that can block together shares event loops and threads.
///
/// Caches each result briefly, so that many transfers to one folder need one call.
final class DiskPlaces: Sendable {
    private struct Known<Value: Sendable>: Sendable {
        let value: Value?
        let until: NIODeadline
    }

    private static let memory = TimeAmount.seconds(2)
    private static let mostFolders = 256

    private let disk: DiskQueue
    private let devices = Mutex<[PathKey: Known<UInt64>]>([:])
    private let mounts = Mutex<[PathKey: Known<Mount>]>([:])
    private let accessLists = Mutex<[PathKey: Known<DefaultAccessList>]>([:])

    init(disk: DiskQueue) { self.disk = disk }

    /// Returns the places of a transfer's partial file and of its final name.
    func place(
        isolation: isolated (any Actor)? = #isolation, of request: TransferRequest
    ) async -> DiskLane.Place {
        let target = await device(of: Destination.folder(of: request))
        guard let folder = request.file.partialFolder else { return .devices(home: target, target: target) }
        return .devices(home: await device(of: folder), target: target)
    }

    /// Returns the mount of a folder, or `nil` if it cannot be determined.
    func mount(isolation: isolated (any Actor)? = #isolation, of folder: String) async -> Mount? {
        await find(folder, in: mounts) { $0.mount(of: folder) }
    }

    /// Returns the mode of a new file, or `nil` where the umask decides about it.
    func newFileMode(isolation: isolated (any Actor)? = #isolation, in folder: String) async -> UInt32? {
        await find(folder, in: accessLists) { $0.defaultAccessList(of: folder) }?.applied(to: 0o666)
    }

    private func device(isolation: isolated (any Actor)? = #isolation, of folder: String) async -> UInt64? {
        await find(folder, in: devices) { $0.device(of: folder) }
    }

    private func find<Value>(
        isolation: isolated (any Actor)? = #isolation, _ folder: String,
        in known: borrowing Mutex<[PathKey: Known<Value>]>,
        _ look: @escaping @Sendable (any DiskSystem) -> Value?
    ) async -> Value? {
        let now = NIODeadline.now()
        if let found = known.withLock({ $0[PathKey(folder)] }), found.until > now { return found.value }
        let inspected = await disk.at(.folder(folder)).result { system throws(DiskError) in look(system) }
        guard case .success(let value) = inspected else { return nil }
        known.withLock { known in
            if known.count >= Self.mostFolders { known.removeAll() }
            known[PathKey(folder)] = Known(value: value, until: .now() + Self.memory)
        }
        return value
    }
}
