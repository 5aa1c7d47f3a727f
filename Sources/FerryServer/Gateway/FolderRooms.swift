import FerryAPI
import NIOPosix

/// The room in folders. A disk that does not answer holds up the first question alone: others get what was known before it.
actor FolderRooms {
    private var known: [String: Int64] = [:]
    private var isAsking = false

    /// - Parameter folders: absolute paths; where one is not there yet, the room where it will be made counts.
    func look(at folders: [String]) async -> [FolderRoom] {
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
