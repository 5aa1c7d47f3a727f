// Ferry: FerryTesting
// The calls of a disk that can be made to fail.

/// The calls of a disk, as the words by which a test names them.
package enum DiskCall: String, Hashable, Sendable, CaseIterable {
    case openFolder, createFile, openFile, write, read, truncate, allocate, syncData, syncFolder, setMode, rename,
        remove
}

/// What happened on a disk, in order.
package enum DiskEvent: Equatable, Sendable {
    case created(String)
    case written(Range<Int64>)
    case truncated(Int64)
    case syncBegan
    /// A sync that has succeeded.
    case syncEnded
    case renamed(String)
    case folderSynced
    case removed(String)
    /// A call that failed on command.
    case failed(DiskCall)
}
