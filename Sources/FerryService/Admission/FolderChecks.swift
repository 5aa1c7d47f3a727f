import FerryCore
import FerryEngine
import Foundation

/// Looks at the destinations of a batch; each folder once. A folder is made only for a request that is not refused.
struct FolderChecks {
    /// What was found at a destination.
    enum Finding: Sendable {
        /// These paths are free, in the order of preference; empty where the name comes from the response.
        case free([String])
        /// The file is there and stays.
        case skipped(Outcome.Success)
    }

    let disk: DiskQueue
    /// The mask of folders that are made for requests that bring none.
    let umask: FileMask
    /// Which of some paths other transfers aim at.
    let taken: ([String]) async throws(ServiceError) -> Set<String>
    private var known: [String: Place] = [:]
    /// Numbers of names that earlier requests of the batch have not tried.
    private var nextNumbers: [String: Int] = [:]

    init(_ engine: Engine, taken: @escaping ([String]) async throws(ServiceError) -> Set<String>) {
        disk = engine.disk
        umask = engine.configuration.umask
        self.taken = taken
    }

    /// A folder, as far as it is there.
    struct Place: Sendable {
        let path: String
        /// Nil where it is to be made: then nothing has a name in it.
        let folder: OpenFile?

        /// What a name in it stands for.
        func identity(of name: String, _ system: any DiskSystem) throws(DiskError) -> FileIdentity? {
            guard let folder else { return nil }
            return try system.identity(of: name, in: folder)
        }
    }

    /// Applies the conflict policy if the name is known, then makes the folder if that is wanted.
    ///
    /// - Throws: ``ServiceError`` with code `destination_unwritable` or `destination_exists`.
    mutating func check(_ request: TransferRequest) async throws(ServiceError) -> Finding {
        let keepsBytes = request.partialFolder != nil
        let place: Place
        do throws(ServiceError) {
            place = try await self.place(Destination.folder(of: request), makes: request.createFolders)
        } catch  where keepsBytes {
            // Where partial files have a folder of their own, what keeps a file from its place is its transfer's failure.
            return .free(Destination.path(of: request).map { [$0] } ?? [])
        }
        let finding = try await finding(for: request, in: place)
        do throws(ServiceError) {
            try await make(place, mode: Destination.folderMode(of: request, umask: umask))
        } catch  where keepsBytes {
            // As above: the transfer finds the same.
        }
        return finding
    }

    /// What the conflict policy says to a name, if that is known.
    private mutating func finding(
        for request: TransferRequest, in place: Place
    ) async throws(ServiceError) -> Finding {
        guard let path = Destination.path(of: request) else { return .free([]) }
        let rule = request.admissionRule
        if rule.numbersNames { return .free(try await freePaths(path, in: place, rule)) }
        let looked = await disk.at(.folder(place.path)).result {
            system throws(DiskError) -> Result<Finding, ServiceError> in
            let found = try place.identity(of: path.lastPathPart, system)
            switch rule.verdict(on: path, heldBy: found.holder) {
            case .take, .useNextName: return .success(.free([path]))
            case .keepExisting:
                return .success(
                    .skipped(Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)))
            case .refuse(let error): return .failure(error)
            }
        }
        switch looked {
        case .success(let finding): return try finding.get()
        case .failure(let error): throw error.transferError
        }
    }

    /// Some paths that nothing has; several, since another call may take the first before this one is stored.
    private mutating func freePaths(
        _ path: String, in place: Place, _ rule: ConflictRule
    ) async throws(ServiceError) -> [String] {
        let name = path.lastPathPart
        let last = rule.numbers.upperBound
        var start = nextNumbers[path, default: 0]
        while start <= last {
            let numbers = start...min(start + 63, last)
            let looked = await disk.at(.folder(place.path)).result { system throws(DiskError) -> [NumberedPath] in
                var free: [NumberedPath] = []
                for number in numbers {
                    let candidate = FileName.numbered(name, number)
                    let path = place.path.appendingPathPart(candidate)
                    let holder = try place.identity(of: candidate, system).holder
                    guard case .take = rule.verdict(on: path, heldBy: holder) else { continue }
                    free.append(NumberedPath(number: number, path: path))
                }
                return free
            }
            let unused: [NumberedPath]
            switch looked {
            case .success(let found): unused = found
            case .failure(let error): throw error.transferError
            }
            let held = try await taken(unused.map(\.path))
            let free = unused.filter { !held.contains($0.path) }
            if let first = free.first {
                nextNumbers[path] = first.number + 1
                return free.map(\.path)
            }
            start = numbers.upperBound + 1
        }
        throw ConflictRule.exists(path)
    }

    /// Looks for a folder.
    ///
    /// - Parameter makes: whether it is to be made if it is not there.
    /// - Throws: ``ServiceError`` with code `destination_unwritable`.
    mutating func place(_ path: String, makes: Bool) async throws(ServiceError) -> Place {
        if let place = known[path] { return place }
        let place = try await onDisk(path) { system throws(DiskError) in
            do throws(DiskError) {
                return Place(path: path, folder: try Self.open(path, system))
            } catch  where makes && error.errno == ENOENT {
                return Place(path: path, folder: nil)
            }
        }
        known[path] = place
        return place
    }

    /// Makes a folder that is not there; what is made before that fails goes again.
    ///
    /// - Throws: ``ServiceError`` with code `destination_unwritable`.
    mutating func make(_ place: Place, mode: UInt32) async throws(ServiceError) {
        guard place.folder == nil else { return }
        known[place.path] = try await onDisk(place.path) { system throws(DiskError) in
            try system.makeFolders(place.path, mode: mode)
            return Place(path: place.path, folder: try Self.open(place.path, system))
        }
    }

    private static func open(_ path: String, _ system: any DiskSystem) throws(DiskError) -> OpenFile {
        let folder = try system.openFolder(path)
        guard system.isWritable(folder) else { throw DiskError("Writing to the folder", path, errno: EACCES) }
        return folder
    }

    /// Folders have lanes of their own: one that hangs holds up no admission to others.
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

/// A free path and the number in its name.
private struct NumberedPath: Sendable {
    let number: Int
    let path: String
}
