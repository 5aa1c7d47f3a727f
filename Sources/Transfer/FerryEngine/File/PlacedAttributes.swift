import FerryCore
import FerryDisk
import Foundation

/// Attributes set on a file before it gets its final name: mode, time and origin.
struct PlacedAttributes: Sendable {
    /// Whether to keep the mode of a replaced file.
    let keepsMode: Bool
    /// The mode if none is kept.
    var mode: UInt32
    /// The time stated by the server.
    let modified: Date?
    /// The URL of the file.
    let origin: String?

    /// Sets the attributes that the file system stores.
    ///
    /// - Parameter name: Name of the file to replace, if any.
    /// - Returns: Notes about the attributes that it refused.
    func set(
        on file: OpenFile, replacing name: String, in folder: OpenFile, _ system: any DiskSystem
    ) throws(DiskError) -> [String] {
        var notes: [String] = []
        let old = keepsMode ? try system.identity(of: name, in: folder) : nil
        let mode = old.flatMap { $0.kind == .regular ? $0.mode & 0o777 : nil } ?? self.mode
        do throws(DiskError) { try system.setMode(mode, of: file) } catch {
            guard error.isRefusal else { throw error }
            let has = try system.identity(of: file).mode & 0o777
            if has != mode { notes.append("the mode is \(Self.octal(has)): \(Self.octal(mode)) was refused") }
        }
        if let modified {
            do throws(DiskError) {
                try system.setModificationTime(Int64(modified.timeIntervalSince1970), of: file)
            } catch {
                guard error.isRefusal else { throw error }
                notes.append("the server's time of the file was refused by the file system")
            }
        }
        if let origin, let url = try? HTTPURL(parsing: origin) {
            let plain = url.string.prefix { $0 != "?" && $0 != "#" }
            do throws(DiskError) {
                _ = try system.setAttribute("user.xdg.origin.url", String(plain), of: file)
            } catch {
                if !error.isRefusal { throw error }
            }
        }
        return notes
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
