import FerryCore
import FerryDisk
import FerryFoundation
import FerryRules
import Foundation
import FoundationNetworking
import Glibc

/// The location of a finished file for its delegate, and whether the file stays there.
package struct FilePlacement {
    let file: URL
    let stays: Bool

    /// Moves a file to the task's destination, or to a temporary file that no cleanup removes if the caller takes it
    /// over.
    ///
    /// - Parameter outlivesTransfer: Whether the file must remain after this process's service has removed its
    ///   transfer.
    /// - Throws: `TransferError` `destination_exists`, or `URLError.cannotMoveFile`.
    static func place(
        _ path: String, task: URLSessionTask, status: Int?, outlivesTransfer: Bool = false
    ) throws -> FilePlacement {
        let isSuccess = (200..<300).contains(status ?? 200)
        if isSuccess, let destination = task.options.destination {
            return FilePlacement(file: try move(path, to: destination), stays: true)
        }
        if case .keptFile = task.handler {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).tmp")
            if unsafe Glibc.rename(path, file.path) != 0 {
                guard errno == EXDEV else { throw failure() }
                try copy(path, to: file)
                unsafe unlink(path)
            }
            return FilePlacement(file: file, stays: true)
        }
        guard outlivesTransfer else { return FilePlacement(file: URL(fileURLWithPath: path), stays: false) }
        // Use a name that the service does not know, since it removes the file of a removed transfer.
        let file = URL(fileURLWithPath: path + ".tmp")
        guard unsafe Glibc.rename(path, file.path) == 0 else { throw failure() }
        return FilePlacement(file: file, stays: false)
    }

    /// Moves a file atomically to its destination and makes the move durable.
    ///
    /// - Throws: `TransferError` `destination_exists`, or `URLError.cannotMoveFile`. The file then has its old name, or its
    ///   new one if only the folder could not be synced.
    package static func move(_ path: String, to destination: URLSessionDownloadTask.Destination) throws -> URL {
        let folder = destination.url.deletingLastPathComponent()
        if destination.createsIntermediateDirectories {
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw moving(error)
            }
        }
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw URLError(
                .cannotMoveFile, userInfo: [NSLocalizedDescriptionKey: "There is no folder \(folder.path)."])
        }
        if let device = device(of: path), device == Self.device(of: folder.path) {
            // If the process exits during this step, the file still has at least one of the two names.
            let file = try take(URL(fileURLWithPath: path), to: destination)
            try sync(folder.path)
            return file
        }
        // Copy to the same file system first, so that the last step is atomic. Remove the original last.
        let near = folder.appendingPathComponent(".ferry-\(UUID().uuidString).part")
        do {
            try copy(path, to: near)
            let file = try take(near, to: destination)
            try sync(folder.path)
            unsafe unlink(path)
            return file
        } catch {
            try? FileManager.default.removeItem(at: near)
            throw error
        }
    }

    private static func take(_ near: URL, to destination: URLSessionDownloadTask.Destination) throws -> URL {
        let url = destination.url
        let rule = ConflictRule(destination.conflictPolicy.policy, at: .placement)
        let folder = url.deletingLastPathComponent()
        for name in rule.names(of: url.lastPathComponent) {
            let candidate = name.number == 0 ? url : folder.appendingPathComponent(name.name, isDirectory: false)
            // A rename over a device, a FIFO or a socket would replace it by a file.
            if isSpecial(candidate), case .refuse(let error) = rule.verdict(on: candidate.path, heldBy: .special) {
                throw TransferError(error)
            }
            if try rename(near, to: candidate, replacing: rule.replaces) { return candidate }
            if case .refuse(let error) = rule.verdict(on: candidate.path, heldBy: .file) { throw TransferError(error) }
        }
        throw TransferError(ConflictRule.exists(url.path))
    }

    /// Returns the error of the preceding system call.
    private static func failure() -> URLError {
        let number = errno
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        let text = unsafe "\(String(cString: strerror(number)))."
        return URLError(.cannotMoveFile, userInfo: [NSLocalizedDescriptionKey: text, NSUnderlyingErrorKey: cause])
    }

    /// Gives a file another name. Accepts the file's own second name, left by a process that exited between the two steps
    /// of file systems that have no rename without replacement.
    ///
    /// - Returns: False if the name is taken and must not be replaced.
    private static func rename(_ file: URL, to place: URL, replacing: Bool) throws -> Bool {
        let (disk, name, newName) = (SystemDisk(), file.lastPathComponent, place.lastPathComponent)
        do {
            let from = try disk.openFolder(file.deletingLastPathComponent().path)
            let folder = try disk.openFolder(place.deletingLastPathComponent().path)
            if try disk.rename(name, in: from, to: newName, in: folder, replacing: replacing) { return true }
            guard try disk.haveSameFile(name, in: from, newName, in: folder) else { return false }
            try disk.remove(name, in: from)
            return true
        } catch {
            errno = error.errno
            throw failure()
        }
    }

    private static func device(of path: String) -> dev_t? {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts.st_dev : nil
    }

    private static func isSpecial(_ file: URL) -> Bool {
        var facts = stat()
        guard unsafe lstat(file.path, &facts) == 0 else { return false }
        return ![S_IFREG, S_IFLNK, S_IFDIR].contains(facts.st_mode & S_IFMT)
    }

    /// Copies a file to a new name, durably. Leaves nothing there if that fails.
    private static func copy(_ path: String, to file: URL) throws {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: file.path)
            try sync(file.path)
        } catch {
            unsafe unlink(file.path)
            throw moving(error)
        }
    }

    private static func moving(_ error: any Error) -> URLError {
        error as? URLError
            ?? URLError(
                .cannotMoveFile,
                userInfo: [NSLocalizedDescriptionKey: error.localizedDescription, NSUnderlyingErrorKey: error])
    }

    /// Syncs a file's content or a folder's entries to disk.
    private static func sync(_ path: String) throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard syncIfOffered(descriptor) else { throw failure() }
    }
}

extension URLSessionDownloadTask.Destination.ConflictPolicy {
    /// The core's policy with the same meaning.
    fileprivate var policy: FerryCore.ConflictPolicy {
        switch self {
        case .fail: .fail
        case .replace: .replace
        case .unique: .unique
        }
    }
}
