import Dispatch
import FerryCore
package import FerryQueue
import Foundation

/// The machine's power supplies.
extension PowerSupply {
    /// Returns the supplies in a folder such as `/sys/class/power_supply`.
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

/// Polls the power state every few seconds: the kernel's files announce no changes.
final class PowerPoll: Sendable {
    private nonisolated(unsafe) let timer: any DispatchSourceTimer  // SAFETY: sources are thread-safe

    init(every seconds: Int, queue: DispatchQueue, _ look: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // The first poll is immediate: a transfer has just begun to depend on it.
        timer.schedule(deadline: .now(), repeating: .seconds(seconds), leeway: .seconds(1))
        timer.setEventHandler(handler: look)
        timer.resume()
        unsafe self.timer = timer
    }

    func stop() { unsafe timer.cancel() }
}
