/// How files that were written at the same time become durable.
///
/// A sync of a file is a commit of the file system and a flush of the disk for each; a sync of the whole file system is one of
/// both for all, and writes what other programs have left in memory too.
enum GroupSync: Equatable {
    case eachFile
    case fileSystem

    /// - Parameters:
    ///   - files: how many there are.
    ///   - bytes: how many they have together.
    ///   - unwritten: bytes of all programs that wait in memory to be written; nil if that is not known.
    init(files: Int, bytes: Int64, unwritten: Int64?) {
        guard Self.isWorthCounting(files), let unwritten else {
            self = .eachFile
            return
        }
        let foreign = max(0, max(0, unwritten) - bytes)
        self = foreign <= Int64(files) * Self.foreignBytesPerFile ? .fileSystem : .eachFile
    }

    /// Whether files are so many that one sync may cost less.
    static func isWorthCounting(_ files: Int) -> Bool { files >= 4 }

    /// What a disk writes in about the time of one flush: 256 KiB in a millisecond.
    private static let foreignBytesPerFile: Int64 = 256 << 10
}
