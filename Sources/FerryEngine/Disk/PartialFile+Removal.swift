// Ferry: FerryEngine
// Removing only what is our own.

package import FerryCore
import Foundation

extension PartialFile {
    /// Removes the recorded partial file, if what stands there is that file; anything else is left alone.
    package static func remove(_ facts: PartialFacts, disk: any DiskSystem) throws(DiskError) {
        let folder: OpenFile
        do {
            folder = try disk.openFolder(facts.folder)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return
        }
        guard let found = try disk.identity(of: facts.name, in: folder), facts.matches(found) else { return }
        try disk.remove(facts.name, in: folder)
    }

    /// Removes a copy of the partial file that may stand beside the final name; anything else is left alone.
    package static func removeCopy(_ path: String, of id: TransferID, disk: any DiskSystem) throws(DiskError) {
        let name = path.lastPathPart
        guard name == copyName(of: id) else { return }
        let folder: OpenFile
        do {
            folder = try disk.openFolder(path.folderPart)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return
        }
        guard let found = try disk.identity(of: name, in: folder), found.kind == .regular, found.links == 1,
            found.owner == geteuid()
        else { return }
        try disk.remove(name, in: folder)
    }

    /// Removes a partial file that was made but never recorded, as after a crash between the two.
    package static func removeUnrecorded(of id: TransferID, in folder: OpenFile, disk: any DiskSystem) throws(DiskError)
    {
        let name = name(of: id)
        guard let found = try disk.identity(of: name, in: folder), found.kind == .regular, found.links == 1,
            found.owner == geteuid()
        else { return }
        try disk.remove(name, in: folder)
    }
}
