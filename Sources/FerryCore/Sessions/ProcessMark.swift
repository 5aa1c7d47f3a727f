// Ferry: FerryCore
// A process that is told from later ones of the same number.

/// A process, told from later ones of the same number by the moment of its start.
package struct ProcessMark: Hashable, Codable, Sendable {
    package var process: Int32
    /// Ticks of the system's clock from the boot to its start.
    package var started: UInt64
    /// Which boot.
    package var boot: String

    package init(process: Int32, started: UInt64, boot: String) {
        self.process = process
        self.started = started
        self.boot = boot
    }
}
