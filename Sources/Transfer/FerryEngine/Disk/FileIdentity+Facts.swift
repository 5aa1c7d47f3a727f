import FerryDisk
package import FerryRules

extension FileIdentity {
    /// The file's size and times.
    var stamp: FileStamp { FileStamp(size: size, modified: modified, changed: changed) }
}

extension FileIdentity? {
    /// The holder for the conflict policy. `nil` stands for a free name.
    package var holder: ConflictRule.Holder {
        switch self?.kind {
        case nil: .nothing
        case .regular, .link: .file
        case .folder: .folder
        case .special: .special
        }
    }
}
