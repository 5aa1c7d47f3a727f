import FerryCore
import FerryFoundation

/// Copies in a store's folder that have not got their final names.
package struct FolderCopies: Sendable {
    package struct Copy: Hashable, Sendable {
        package var path: String
        package var job: JobID
        package var fence: Int32
        /// Seconds since it was last written.
        package var age: Double
    }

    /// Age in seconds above which a copy of an unknown job is removed.
    package static let longestAge = 7.0 * 86_400

    private let store: Store

    package init(of store: Store) { self.store = store }

    /// All copies, or none if the store is not mounted on this machine.
    package func all() -> [Copy] {
        let mark = try? String(contentsOfFile: store.folder + "/" + FolderStore.markName, encoding: .utf8)
        guard mark.map({ String($0.prefix { !$0.isNewline }) }) == store.mark else { return [] }
        return Self.copies(in: store.folder)
    }

    private static func copies(in folder: String) -> [Copy] {
        var copies: [Copy] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + name
            var facts = stat()
            // Links are not followed.
            guard unsafe lstat(path, &facts) == 0 else { continue }
            if facts.st_mode & S_IFMT == S_IFDIR {
                copies += Self.copies(in: path)
            } else if let (job, fence) = parse(name) {
                let age = Date().timeIntervalSince1970 - Double(facts.st_mtim.tv_sec)
                copies.append(Copy(path: path, job: job, fence: fence, age: age))
            }
        }
        return copies
    }

    /// Parses ``Delivery/copyName``.
    static func parse(_ name: String) -> (JobID, Int32)? {
        guard name.hasPrefix(".ferry-fleet-"), name.hasSuffix(".part") else { return nil }
        let parts = name.dropFirst(13).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let job = JobID(String(parts[0])), let fence = Int32(parts[1]) else { return nil }
        return (job, fence)
    }
}
