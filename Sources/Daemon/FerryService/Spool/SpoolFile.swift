import FerryCore
import FerryQueue
import Foundation

/// A spool file with a transfer's id in its name. Other files are left alone.
struct SpoolFile: Sendable {
    let path: String
    let kind: SpoolNames.Kind
    let transfer: TransferID
    let changedAt: Date

    /// Returns the files in a folder, or `nil` if it does not exist.
    static func all(in folder: String) -> [SpoolFile]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        return names.compactMap { name in
            guard let (kind, id) = SpoolNames.parse(name) else { return nil }
            let path = folder + "/" + name
            let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            return SpoolFile(path: path, kind: kind, transfer: id, changedAt: changed ?? .distantFuture)
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
