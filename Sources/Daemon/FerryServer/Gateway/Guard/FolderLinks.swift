import FerryCore
import FerryFoundation
import Foundation
import Glibc
import NIOPosix

/// Resolves the links of folders before a client may change files in them.
///
/// One thread of its own, since a disk that does not respond may block it. Then other such calls wait, but nothing else
/// does.
actor FolderLinks {
    private var threads: NIOThreadPool?

    /// Whether all folders are in or below allowed ones, after links are resolved.
    ///
    /// - Returns: The first folder outside with its real path, or `nil`.
    func outside(_ paths: [String], _ allowed: AllowedFolders) async -> (folder: String, real: String)? {
        for path in paths where !allowed.contain(path) { return (path, path) }
        let threads = threads ?? NIOThreadPool(numberOfThreads: 1)
        if self.threads == nil { threads.start() }
        self.threads = threads
        do {
            return try await threads.runIfActive {
                let roots = AllowedFolders(allowed.folders.flatMap { [$0, Self.resolved($0)] })
                for path in paths {
                    let real = Self.resolved(path)
                    if !roots.contain(real) { return (path, real) }
                }
                return nil
            }
        } catch {
            // A folder that could not be checked is not permitted.
            return paths.first.map { ($0, $0) }
        }
    }

    /// Returns the path without links. Missing folders at its end stay as they are.
    private static func resolved(_ path: String) -> String {
        var missing: [String] = []
        var existing = path
        while true {
            if let found = ThisProcess.realPath(existing) {
                return missing.reversed().reduce(found) { $0.appendingPathPart($1) }
            }
            guard existing != "/", existing.isAbsolutePath else { return path }
            missing.append(existing.lastPathPart)
            existing = existing.folderPart
        }
    }
}
