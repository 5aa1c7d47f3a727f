import FerryCore
import FerryDisk
import FerryRules
import NIOCore
import Synchronization

/// Finds the file systems of folders, so that work that can block together shares event loops and threads.
///
/// Caches each result briefly, so that many transfers to one folder need one call.
package final class DiskPlaces: Sendable {
    private struct Known<Value: Sendable>: Sendable {
        let value: Value?
        let until: NIODeadline
    }

    private struct Submitted: Sendable {
        let mount: Mount
        let device: UInt64?
    }

    private static let memory = TimeAmount.seconds(2)
    private static let mostFolders = 256
    private static let mostSubmitted = 4096

    private let disk: DiskQueue
    private let devices = Mutex<[PathKey: Known<UInt64>]>([:])
    private let mounts = Mutex<[PathKey: Known<Mount>]>([:])
    private let accessLists = Mutex<[PathKey: Known<DefaultAccessList>]>([:])
    /// The mounts that folders had when the last transfers to them were submitted.
    private let submitted = Mutex<[PathKey: Submitted]>([:])

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

    /// Notes where a folder is mounted when a transfer to it is submitted.
    package func noteSubmission(isolation: isolated (any Actor)? = #isolation, to folder: String) async {
        let looked = await disk.at(.folder(folder)).result { system throws(DiskError) in
            system.mount(of: folder).map { Submitted(mount: $0, device: system.device(of: folder)) }
        }
        guard case .success(let place?) = looked else { return }
        submitted.withLock { submitted in
            if submitted.count >= Self.mostSubmitted { submitted.removeAll() }
            submitted[PathKey(folder)] = place
        }
    }

    /// The device that a folder was on when the last transfer to it was submitted, or `nil` if unknown.
    func submittedDevice(of folder: String) -> UInt64? { submitted.withLock { $0[PathKey(folder)]?.device } }

    /// Returns the error of a folder whose disk was unmounted, or nil. Otherwise what is at its path belongs to another
    /// disk.
    ///
    /// - Parameter recorded: The folder's mount when the partial file was created. `nil` if there is none.
    func fault(
        isolation: isolated (any Actor)? = #isolation, of folder: String, recorded: Mount? = nil
    ) async -> ServiceError? {
        guard let former = recorded ?? submitted.withLock({ $0[PathKey(folder)]?.mount }) else { return nil }
        // Not remembered: the disk may have been unplugged just now.
        let looked = await disk.at(.folder(folder)).result { system throws(DiskError) in system.mount(of: folder) }
        guard case .success(let now?) = looked, let difference = former.difference(to: now) else { return nil }
        let point = former.point.escapingControls
        let sentence =
            switch difference {
            case .unmounted: "The disk of \(folder.escapingControls) is not mounted at \(point)."
            case .another: "Another disk than that of \(folder.escapingControls) is mounted at \(point)."
            }
        return ServiceError(.destinationUnwritable, sentence, as: .wait)
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
