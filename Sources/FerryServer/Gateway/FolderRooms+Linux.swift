import FerryAPI
import Foundation
import Glibc
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
            let found = try? await NIOThreadPool.singleton.runIfActive { folders.map { ($0, Self.free(in: $0)) } }
            known = Dictionary(
                (found ?? []).compactMap { folder, free in free.map { (folder, $0) } }, uniquingKeysWith: { $1 })
        }
        return folders.map { FolderRoom(path: $0, free: known[$0]) }
    }

    private static func free(in folder: String) -> Int64? {
        var status = statvfs()
        var path = folder
        while unsafe statvfs(path, &status) != 0 {
            guard errno == ENOENT, path.count > 1 else { return nil }
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path
        }
        let bytes = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return bytes.overflow ? .max : Int64(clamping: bytes.partialValue)
    }
}
