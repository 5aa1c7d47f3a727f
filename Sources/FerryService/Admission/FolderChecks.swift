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

    private let disk: DiskQueue
    private var known: [String: OpenFile] = [:]

    init(disk: DiskQueue) { self.disk = disk }

    /// Makes the folder if that is wanted, and applies the conflict policy if the name is known.
    ///
    /// - Throws: ``TransferError`` with code `destination_unwritable` or `destination_exists`.
    mutating func check(_ request: TransferRequest) async throws(TransferError) -> Finding {
        let folder = try await open(Destination.folder(of: request), makes: request.createFolders)
        guard let path = Destination.path(of: request) else { return .free([]) }
        let name = path.lastPathPart
        let policy = request.onConflict
        let looked = await disk.result { system throws(DiskError) -> Result<Finding, TransferError> in
            let found = try system.identity(of: name, in: folder)
            switch (policy, found) {
            case (.fail, .some): return .failure(Destination.exists(path))
            case (.skip, .some(let file)):
                return .success(.skipped(Outcome.Success(path: path, size: file.size, verified: [], unchanged: true)))
            case (.replace, .some(let file)) where file.kind == .folder,
                (.update, .some(let file)) where file.kind == .folder:
                return .failure(
                    TransferError(.destinationExists, "\(path.escapingControls) is a folder and is not replaced."))
            case (.unique, _): return .success(.free(try Self.freeNames(name, in: folder, system)))
            default: return .success(.free([path]))
            }
        }
        switch looked {
        case .success(let finding): return try finding.get()
        case .failure(let error): throw error.transferError
        }
    }

    /// Some names that nothing has; several, since another transfer may hold the first.
    private static func freeNames(
        _ name: String, in folder: OpenFile, _ system: any DiskSystem
    ) throws(DiskError) -> [String] {
        let base = folder.path == "/" ? "" : folder.path
        var free: [String] = []
        for number in 0...9999 where free.count < 64 {
            let candidate = number == 0 ? name : FileName.numbered(name, number)
            if try system.identity(of: candidate, in: folder) == nil { free.append(base + "/" + candidate) }
        }
        return free
    }

    private mutating func open(_ path: String, makes: Bool) async throws(TransferError) -> OpenFile {
        if let folder = known[path] { return folder }
        let opened = await disk.result { system throws(DiskError) -> (OpenFile, Bool) in
            if makes { try system.makeFolders(path) }
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
