import FerryCore
import FerryRules
import Foundation

/// A spool file with a transfer's id in its name. Other files are left alone.
struct SpoolFile: Sendable {
    enum Kind: Sendable {
        /// A partial file that was handed over.
        case released
        /// A result or a partial file of a transfer.
        case ofTransfer
    }

    let path: String
    let kind: Kind
    let transfer: TransferID
    let changedAt: Date

    /// Returns the files in a folder, or `nil` if it does not exist.
    static func all(in folder: String) -> [SpoolFile]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        return names.compactMap { name in
            guard let (kind, id) = parse(name) else { return nil }
            let path = folder + "/" + name
            let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            return SpoolFile(path: path, kind: kind, transfer: id, changedAt: changed ?? .distantFuture)
        }
    }

    static func parse(_ name: String) -> (Kind, TransferID)? {
        if name.hasPrefix(".ferry-"), name.hasSuffix(".part") {
            return TransferID(String(name.dropFirst(7).prefix(16))).map { (.ofTransfer, $0) }
        }
        if let id = ReleasedName.transfer(in: name) { return (.released, id) }
        guard let id = TransferID(String(name.prefix(16))), name.dropFirst(16) == ".download" else { return nil }
        return (.ofTransfer, id)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension ServiceConfiguration {
    /// The spool folder. Without a state folder, it is beside the system's temporary files.
    var spool: String { spoolFolder ?? (stateFolder ?? NSTemporaryDirectory() + "ferry") + "/spool" }
}
