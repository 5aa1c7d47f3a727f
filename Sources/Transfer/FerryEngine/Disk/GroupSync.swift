/// The method for making several files durable that were written together.
///
/// Syncing each file costs one commit and one disk flush per file. Syncing the file system costs one of both in total,
/// but also writes other programs' dirty bytes.
enum GroupSync: Equatable {
    case eachFile
    case fileSystem

    /// - Parameters:
    ///   - files: Number of files.
    ///   - bytes: Total size of the files.
    ///   - unwritten: Dirty bytes of all programs in memory, or `nil` if unknown.
    init(files: Int, bytes: Int64, unwritten: Int64?) {
        guard Self.isWorthCounting(files), let unwritten else {
            self = .eachFile
            return
        }
        let foreign = max(0, max(0, unwritten) - bytes)
        self = foreign <= Int64(files) * Self.foreignBytesPerFile ? .fileSystem : .eachFile
    }

    /// Returns whether there are enough files for a single sync to cost less.
    static func isWorthCounting(_ files: Int) -> Bool { files >= 4 }

    /// Bytes that a disk writes in about the time of one flush: 256 KiB in a millisecond.
    private static let foreignBytesPerFile: Int64 = 256 << 10
}
