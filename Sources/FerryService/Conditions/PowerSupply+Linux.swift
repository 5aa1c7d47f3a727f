package import FerryCore
import Foundation

/// The machine's power supplies.
extension PowerSupply {
    /// The supplies that a folder like `/sys/class/power_supply` describes.
    package static func all(in folder: String) -> [PowerSupply] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            func text(_ file: String) -> String? {
                FileManager.default.contents(atPath: "\(folder)/\(name)/\(file)").map {
                    String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                }
            }
            return text("type").map { PowerSupply(type: $0, scope: text("scope"), online: text("online")) }
        }
    }
}
