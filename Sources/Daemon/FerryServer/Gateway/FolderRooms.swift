import FerryAPI
import FerrySystem
import NIOPosix

/// Free disk space of folders. An unresponsive disk blocks only the first caller. Others get the last known values.
actor FolderRooms {
    private var known: [String: Int64] = [:]
    private var isAsking = false

    /// - Parameter folders: Absolute paths. For a missing folder, the space where it will be created is returned.
    func inspect(at folders: [String]) async -> [FolderRoom] {
        if !isAsking {
            isAsking = true
            defer { isAsking = false }
            let found = try? await NIOThreadPool.singleton.runIfActive {
                folders.compactMap { folder in DiskRoom(at: folder).map { (folder, $0.bytes) } }
            }
            known = Dictionary(found ?? [], uniquingKeysWith: { $1 })
        }
        return folders.map { FolderRoom(path: $0, free: known[$0]) }
    }
}
