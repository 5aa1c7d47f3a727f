// Ferry: FerryServer
// Folders that only their owner may enter.

package import FerryCore
import Foundation

/// Makes folders that only their owner may enter.
package enum PrivateFolder {
    /// Makes the folder, and those above it, with mode 0700, or checks the one that is there.
    ///
    /// - Throws: ``TransferError`` with code `daemon_unreachable` if it is no folder, belongs to another user, or others
    ///   may write to it: what is in it cannot be trusted then.
    package static func make(_ path: String) throws(TransferError) {
        var part = ""
        for name in path.split(separator: "/") {
            part += "/" + name
            guard unsafe mkdir(part, 0o700) != 0, errno != EEXIST else { continue }
            guard let found = FileFacts(part), found.isFolder else {
                throw .start("The folder \(part.escapingControls) cannot be made")
            }
        }
        try check(path)
    }

    private static func check(_ path: String) throws(TransferError) {
        let shown = path.escapingControls
        guard let found = FileFacts(path) else { throw .start("The folder \(shown) cannot be read") }
        guard found.isFolder else { throw TransferError(.daemonUnreachable, "\(shown) is no folder; move it away.") }
        guard found.owner == geteuid() else {
            throw TransferError(
                .daemonUnreachable, "The folder \(shown) belongs to user \(found.owner), not to user \(geteuid()).")
        }
        guard found.mode & 0o022 == 0 else {
            throw TransferError(
                .daemonUnreachable, "Others may write to the folder \(shown); run chmod 700 on it if it is yours.")
        }
        guard unsafe found.mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else {
            throw .start("The mode of the folder \(shown) cannot be set")
        }
    }
}
