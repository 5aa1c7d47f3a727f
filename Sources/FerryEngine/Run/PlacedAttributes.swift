import FerryCore
import Foundation

/// What a file gets before its final name: mode, time and where it came from.
struct PlacedAttributes: Sendable {
    /// Whether a file that is replaced hands its mode on.
    let keepsMode: Bool
    /// The mode of a file that keeps none.
    let mode: UInt32
    /// The time that the server named.
    let modified: Date?
    /// The URL that it came from.
    let origin: String?

    /// - Parameter name: the name of the file that is replaced, if there is one.
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
