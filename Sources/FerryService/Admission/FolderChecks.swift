// Ferry: FerryService
// What the disk says to a request before it is accepted.

import FerryCore
import FerryEngine
import Foundation

/// Looks at the destinations of a batch; each folder once.
struct FolderChecks {
    /// What was found at a destination.
    enum Finding: Sendable {
        /// These paths are free, in the order of preference; empty where the name comes from the response.
        case free([String])
        /// The file is there and stays.
        case skipped(Outcome.Success)
    }

    let disk: DiskQueue
    /// Which of some paths other transfers aim at.
    let taken: ([String]) async throws(TransferError) -> Set<String>
    private var known: [String: OpenFile] = [:]
    /// Numbers of names that earlier requests of the batch have not tried.
    private var nextNumbers: [String: Int] = [:]

    init(disk: DiskQueue, taken: @escaping ([String]) async throws(TransferError) -> Set<String>) {
        self.disk = disk
        self.taken = taken
    }

    /// Makes the folder if that is wanted, and applies the conflict policy if the name is known.
    ///
    /// - Throws: ``TransferError`` with code `destination_unwritable` or `destination_exists`.
    mutating func check(_ request: TransferRequest) async throws(TransferError) -> Finding {
        let keepsBytes = request.partialFolder != nil
        let folder: OpenFile
        do throws(TransferError) {
            folder = try await open(
                Destination.folder(of: request), makes: request.createFolders, mode: Destination.folderMode(of: request)
            )
        } catch  where keepsBytes {
            // Where partial files have a folder of their own, what keeps a file from its place is its transfer's failure.
            return .free(Destination.path(of: request).map { [$0] } ?? [])
        }
        guard let path = Destination.path(of: request) else { return .free([]) }
        let name = path.lastPathPart
        let policy = request.onConflict
        if policy == .unique { return .free(try await freePaths(path, in: folder)) }
        let looked = await disk.result { system throws(DiskError) -> Result<Finding, TransferError> in
            let found = try system.identity(of: name, in: folder)
            switch (policy, found) {
            case (.skip, .some(let file)):
                return .success(.skipped(Outcome.Success(path: path, size: file.size, verified: [], unchanged: true)))
            case (_, .some) where keepsBytes: return .success(.free([path]))
            case (.fail, .some): return .failure(Destination.exists(path))
            case (.replace, .some(let file)) where file.kind == .folder,
                (.update, .some(let file)) where file.kind == .folder:
                return .failure(
                    TransferError(.destinationExists, "\(path.escapingControls) is a folder and is not replaced."))
            default: return .success(.free([path]))
            }
        }
        switch looked {
        case .success(let finding): return try finding.get()
        case .failure(let error): throw error.transferError
        }
    }

    /// Some paths that nothing has; several, since another call may take the first before this one is stored.
    private mutating func freePaths(_ path: String, in folder: OpenFile) async throws(TransferError) -> [String] {
        let base = folder.path == "/" ? "" : folder.path
        let name = path.lastPathPart
        var start = nextNumbers[path, default: 0]
        while start <= Self.lastNumber {
            let numbers = start...min(start + 63, Self.lastNumber)
            let looked = await disk.result { system throws(DiskError) -> [NumberedPath] in
                var free: [NumberedPath] = []
                for number in numbers {
                    let candidate = number == 0 ? name : FileName.numbered(name, number)
                    guard try system.identity(of: candidate, in: folder) == nil else { continue }
                    free.append(NumberedPath(number: number, path: base + "/" + candidate))
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
        throw Destination.exists(path)
    }

    /// The highest number that policy `unique` gives (spec F6).
    private static let lastNumber = 9999

    mutating func open(_ path: String, makes: Bool, mode: UInt32) async throws(TransferError) -> OpenFile {
        if let folder = known[path] { return folder }
        let opened = await disk.result { system throws(DiskError) -> (OpenFile, Bool) in
            if makes { try system.makeFolders(path, mode: mode) }
            let folder = try system.openFolder(path)
            return (folder, system.isWritable(folder))
        }
        switch opened {
        case .success((let folder, true)):
            known[path] = folder
            return folder
        case .success((_, false)):
            throw TransferError(
                .destinationUnwritable, "The folder \(path.escapingControls) is not writable.",
                details: ErrorDetails(errno: EACCES))
        case .failure(let error):
            throw TransferError(
                .destinationUnwritable, error.transferError.message, details: ErrorDetails(errno: error.errno))
        }
    }
}

/// A free path and the number in its name.
private struct NumberedPath: Sendable {
    let number: Int
    let path: String
}
