import FerryCore
import Foundation

/// Attributes set on a file before it gets its final name: mode, time and origin.
struct PlacedAttributes: Sendable {
    /// Whether to keep the mode of a replaced file.
    let keepsMode: Bool
    /// The mode if none is kept.
    let mode: UInt32
    /// The time stated by the server.
    let modified: Date?
    /// The URL of the file.
    let origin: String?

    /// - Parameter name: Name of the file to replace, if any.
    func set(
        on file: OpenFile, replacing name: String, in folder: OpenFile, _ system: any DiskSystem
    ) throws(DiskError) {
        let old = keepsMode ? try system.identity(of: name, in: folder) : nil
        let mode = old.flatMap { $0.kind == .regular ? $0.mode & 0o777 : nil } ?? self.mode
        try system.setMode(mode, of: file)
        if let modified { try system.setModificationTime(Int64(modified.timeIntervalSince1970), of: file) }
        if let origin, let url = try? HTTPURL(parsing: origin) {
            let plain = url.string.prefix { $0 != "?" && $0 != "#" }
            _ = try system.setAttribute("user.xdg.origin.url", String(plain), of: file)
        }
    }
}
