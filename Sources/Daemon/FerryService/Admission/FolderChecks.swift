import FerryCore
import FerryDisk
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Checks the destinations of a batch, each folder once. A missing folder is created only for a request that is not
/// refused.
struct FolderChecks {
    let disk: DiskQueue
    private let places: DiskPlaces
    /// The file mode mask of folders created for requests without their own.
    let umask: FileMask
    /// Returns the given paths that other transfers have reserved.
    let taken: ([String]) async throws(ServiceError) -> Set<String>
    private var known: [FolderKey: Place] = [:]
    /// Next number to try for a name. Earlier requests of the batch used the lower ones.
    private var nextNumbers: [String: Int] = [:]

    init(_ engine: Engine, taken: @escaping ([String]) async throws(ServiceError) -> Set<String>) {
        disk = engine.disk
        places = engine.places
        umask = engine.configuration.umask
        self.taken = taken
    }

    private struct FolderKey: Hashable {
        let path: PathKey
        let allowed: AllowedFolders?

        init(path: String, allowed: AllowedFolders?) {
            self.path = PathKey(path)
            self.allowed = allowed
        }
    }

    /// A folder that exists or is to be created.
    struct Place: Sendable {
        let path: String
        /// The request's limit.
        let allowed: AllowedFolders?
        /// The open folder, or `nil` if it is to be created and so contains nothing.
        let folder: OpenFile?

        /// Returns the identity of the file with this name, or `nil` if there is none.
        func identity(of name: String, _ system: any DiskSystem) throws(DiskError) -> FileIdentity? {
            guard let folder else { return nil }
            return try system.identity(of: name, in: folder)
        }
    }

    /// Applies the conflict policy if the name is known, then creates the folder if the request allows it.
    ///
    /// - Throws: ``ServiceError`` with code `destination_unwritable` or `destination_exists`.
    mutating func check(_ request: TransferRequest) async throws(ServiceError) -> DestinationFinding {
        let keepsBytes = request.file.partialFolder != nil
        let place: Place
        do throws(ServiceError) {
            place = try await self.place(
                Destination.folder(of: request), makes: request.file.createFolders,
                allowed: request.file.allowedFolders)
        } catch  where keepsBytes {
            // With a separate folder for partial files, the transfer itself fails if its destination is unusable.
            return .free(Destination.path(of: request).map { [$0] } ?? [])
        }
        let finding = try await finding(for: request, in: place)
        do throws(ServiceError) {
            try await make(place, mode: Destination.folderMode(of: request, umask: umask))
        } catch  where keepsBytes {
            // As above: the transfer fails with this error later.
        }
        return finding
    }

    /// Applies the conflict policy to a name, if it is known.
    private mutating func finding(
        for request: TransferRequest, in place: Place
    ) async throws(ServiceError) -> DestinationFinding {
        guard let path = Destination.path(of: request) else { return .free([]) }
        let rule = request.admissionRule
        if rule.numbersNames { return .free(try await freePaths(path, in: place, rule)) }
        let inspected = await disk.at(.folder(place.path)).result {
            system throws(DiskError) -> Result<DestinationFinding, ServiceError> in
            let found = try place.identity(of: path.lastPathPart, system)
            switch rule.verdict(on: path, heldBy: found.holder) {
            case .take, .useNextName: return .success(.free([path]))
            case .keepExisting:
                return .success(
                    .skipped(Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)))
            case .refuse(let error): return .failure(error)
            }
        }
        switch inspected {
        case .success(let finding): return try finding.get()
        case .failure(let error): throw error.transferError
        }
    }

    /// Returns several free paths: another call may reserve the first before this transfer is stored.
    private mutating func freePaths(
        _ path: String, in place: Place, _ rule: ConflictRule
    ) async throws(ServiceError) -> [String] {
        var left = rule.names(of: path.lastPathPart, from: nextNumbers[path, default: 0])[...]
        while !left.isEmpty {
            let names = Array(left.prefix(64))
            left = left.dropFirst(names.count)
            let inspected = await disk.at(.folder(place.path)).result {
                system throws(DiskError) -> Result<[(number: Int, path: String)], ServiceError> in
                var free: [(number: Int, path: String)] = []
                for candidate in names {
                    let path = place.path.appendingPathPart(candidate.name)
                    let holder = try place.identity(of: candidate.name, system).holder
                    switch rule.verdict(on: path, heldBy: holder) {
                    case .take: free.append((candidate.number, path))
                    case .useNextName, .keepExisting: continue
                    case .refuse(let error): return .failure(error)
                    }
                }
                return .success(free)
            }
            let unused: [(number: Int, path: String)]
            switch inspected {
            case .success(let found): unused = try found.get()
            case .failure(let error): throw error.transferError
            }
            let held = try await taken(unused.map(\.path))
            let free = unused.filter { !held.contains($0.path) }
            if let first = free.first {
                nextNumbers[path] = first.number + 1
                return free.map(\.path)
            }
        }
        throw ConflictRule.exists(path)
    }

    /// Looks up a folder.
    ///
    /// - Parameters:
    ///   - makes: Whether a missing folder is to be created.
    ///   - allowed: The request's limit.
    /// - Throws: ``ServiceError`` with code `destination_unwritable`.
    mutating func place(
        _ path: String, makes: Bool, allowed: AllowedFolders?
    ) async throws(ServiceError) -> Place {
        let key = FolderKey(path: path, allowed: allowed)
        if let place = known[key] { return place }
        let place = try await onDisk(path) { system throws(DiskError) in
            do throws(DiskError) {
                return Place(path: path, allowed: allowed, folder: try Self.open(path, allowed, system))
            } catch  where makes && error.errno == ENOENT {
                return Place(path: path, allowed: allowed, folder: nil)
            }
        }
        known[key] = place
        await places.noteSubmission(to: path)
        return place
    }

    /// Creates a missing folder. If that fails, removes the parent folders it created.
    ///
    /// - Throws: ``ServiceError`` with code `destination_unwritable`.
    mutating func make(_ place: Place, mode: UInt32) async throws(ServiceError) {
        guard place.folder == nil else { return }
        let (path, allowed) = (place.path, place.allowed)
        known[FolderKey(path: path, allowed: allowed)] = try await onDisk(path) { system throws(DiskError) in
            try system.makeFolders(path, mode: mode, allowed: allowed)
            return Place(path: path, allowed: allowed, folder: try Self.open(path, allowed, system))
        }
    }

    private static func open(
        _ path: String, _ allowed: AllowedFolders?, _ system: any DiskSystem
    ) throws(DiskError) -> OpenFile {
        let folder = try system.openFolder(path, allowed: allowed)
        if let errno = system.writeObstacle(in: folder) {
            throw DiskError("Writing to the folder", path, errno: errno)
        }
        return folder
    }

    /// Runs a closure on the folder's own disk queue, so that a hanging folder delays no requests for others.
    private func onDisk(
        _ folder: String, _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Place
    ) async throws(ServiceError) -> Place {
        switch await disk.at(.folder(folder)).result(body) {
        case .success(let place): return place
        case .failure(let error):
            throw ServiceError(
                .destinationUnwritable, error.transferError.message, details: ErrorDetails(errno: error.errno))
        }
    }
}
