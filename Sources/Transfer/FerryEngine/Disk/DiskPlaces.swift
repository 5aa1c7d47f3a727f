import FerryCore
import FerryDisk
import FerryRules
import NIOCore
import Synchronization

/// Finds the file systems of folders, so that work that can block together shares event loops and threads.
///
/// Caches each result briefly, so that many transfers to one folder need one call.
final class DiskPlaces: Sendable {
    private struct Known {
        let device: UInt64?
        let until: NIODeadline
    }

    private static let memory = TimeAmount.seconds(2)
    private static let mostFolders = 256

    private let disk: DiskQueue
    private let known = Mutex<[String: Known]>([:])

    init(disk: DiskQueue) { self.disk = disk }

    /// Returns the places of a transfer's partial file and of its final name.
    func place(
        isolation: isolated (any Actor)? = #isolation, of request: TransferRequest
    ) async -> DiskLane.Place {
        let target = await device(of: Destination.folder(of: request))
        guard let folder = request.file.partialFolder else { return .devices(home: target, target: target) }
        return .devices(home: await device(of: folder), target: target)
    }

    private func device(
        isolation: isolated (any Actor)? = #isolation, of folder: String
    ) async -> UInt64? {
        let now = NIODeadline.now()
        if let found = known.withLock({ $0[folder] }), found.until > now { return found.device }
        let inspected = await disk.at(.folder(folder)).result { system throws(DiskError) in system.device(of: folder) }
        guard case .success(let device) = inspected else { return nil }
        known.withLock { known in
            if known.count >= Self.mostFolders { known.removeAll() }
            known[folder] = Known(device: device, until: .now() + Self.memory)
        }
        return device
    }
}
