import FerryDisk
import FerryRules
import Foundation

/// Decides whether the file with the name of a partial file is the recorded one.
///
/// The name holds the transfer's id. Device and inode numbers are hints: a disk that was mounted anew has another device
/// number, and some file systems number their files anew.
struct PartialEvidence {
    enum Verdict: Hashable, Sendable {
        case recorded
        /// It is the recorded file if its bytes have the recorded digest.
        case bytesDecide
        /// It is the transfer's own file, but not the recorded state of it.
        case useless
        /// It belongs to another program or user.
        case foreign
    }

    let recorded: PartialFacts
    /// The state when the last attempt ended, if that is recorded.
    var stamp: FileStamp?
    /// Number of bytes from the start whose digest is recorded.
    var prefix: Int64 = 0
    /// End of the durable bytes.
    var durable: Int64 = 0

    /// - Parameter isOwn: Whether its owner is the one of files that this process creates there.
    func verdict(on found: FileIdentity, isOwn: Bool) -> Verdict {
        // FUSE file systems may report no links.
        guard found.kind == .regular, found.links <= 1, isOwn else { return .foreign }
        let isStamped = stamp.map { [.all, .bytes].contains($0.trust(in: found.stamp)) } ?? false
        if recorded.keepsInode {
            // Two copies of a disk have the same inode numbers, and the same bytes if they have the same stamp.
            guard found.inode == recorded.inode || isStamped else { return .foreign }
            return found.size >= durable ? .recorded : .useless
        }
        if durable == 0 || isStamped { return .recorded }
        return prefix > 0 && found.size >= prefix ? .bytesDecide : .useless
    }
}

extension DiskSystem {
    /// Returns whether a file has the owner of the files that this process creates in its folder.
    ///
    /// Some mounts show all files as another user's, such as those of FUSE with `uid=` and those of NFS for root.
    func isOwn(_ found: FileIdentity, in folder: OpenFile) throws(DiskError) -> Bool {
        if found.owner == geteuid() { return true }
        let name = ".ferry-owner-\(getpid())-\(found.inode).part"
        let probe: OpenFile
        do {
            probe = try createFile(name, in: folder)
        } catch  where error.errno == EEXIST {
            return false
        }
        let shown = Result { () throws(DiskError) in try identity(of: probe).owner }
        try remove(name, in: folder)
        return try shown.get() == found.owner
    }
}
