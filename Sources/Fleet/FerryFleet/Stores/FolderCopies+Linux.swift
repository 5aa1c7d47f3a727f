import FerryCore
import Glibc

/// Copies in a store's folder that have not got their final names.
///
/// Walks the store by descriptors, without following links: others may change it meanwhile.
package struct FolderCopies: Sendable {
    package struct Copy: Hashable, Sendable {
        package var path: String
        package var job: JobID
        package var fence: Int32
        /// Seconds since it was last written.
        package var age: Double
        /// Identifies the file, so that no other is removed in its place.
        fileprivate var inode: UInt64
    }

    /// Age in seconds above which a copy of an unknown job is removed.
    package static let longestAge = 7.0 * 86_400

    private let store: Store

    package init(of store: Store) { self.store = store }

    /// All copies, or none if the store is not mounted on this machine.
    package func all() -> [Copy] {
        guard let root = try? SharedFolder(store.folder, below: store, makes: false) else { return [] }
        return Self.copies(in: root.duplicated(), store.folder)
    }

    /// Removes a copy.
    ///
    /// - Throws: ``DeliveryFailure``. One that is gone or another file by now is left alone.
    package func remove(_ copy: Copy) throws(DeliveryFailure) {
        let slash = copy.path.lastIndex(of: "/") ?? copy.path.startIndex
        let name = String(copy.path[copy.path.index(after: slash)...])
        do throws(DeliveryFailure) {
            let folder = try SharedFolder(String(copy.path[..<slash]), below: store, makes: false)
            guard folder.inode(of: name) == copy.inode else { return }
            try folder.removeCopy(name)
        } catch {
            if !error.isAbsent { throw error }
        }
    }

    /// - Parameter descriptor: An open folder, or -1. Closed afterwards.
    private static func copies(in descriptor: Int32, _ folder: String) -> [Copy] {
        guard descriptor >= 0, let stream = unsafe fdopendir(descriptor) else {
            if descriptor >= 0 { close(descriptor) }
            return []
        }
        defer { unsafe closedir(stream) }
        var copies: [Copy] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            var facts = stat()
            guard name != ".", name != "..",
                unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
            else { continue }
            let path = folder == "/" ? "/" + name : folder + "/" + name
            if facts.st_mode & S_IFMT == S_IFDIR {
                copies += Self.copies(
                    in: unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path)
            } else if let (job, fence) = parse(name) {
                let age = Double(time(nil)) - Double(facts.st_mtim.tv_sec)
                copies.append(Copy(path: path, job: job, fence: fence, age: age, inode: UInt64(facts.st_ino)))
            }
        }
        return copies
    }

    /// Parses ``Delivery/copyName``.
    static func parse(_ name: String) -> (JobID, Int32)? {
        guard name.hasPrefix(JobRequest.reservedPrefix), name.hasSuffix(".part") else { return nil }
        let parts = name.dropFirst(JobRequest.reservedPrefix.count).dropLast(5)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let job = JobID(String(parts[0])), let fence = Int32(parts[1]) else { return nil }
        return (job, fence)
    }
}
