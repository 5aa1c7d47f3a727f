// Ferry: FerryURLSession
// Whether the machine is being shut down.

import Foundation

/// Whether the machine is being shut down, so that SIGTERM is nobody's wish (statement 61).
enum SystemShutdown {
    /// What systemd leaves while it shuts the machine down; absent without systemd.
    private static let marks = ["/run/systemd/shutdown/scheduled", "/run/nologin"]

    static var isUnderWay: Bool { marks.contains { FileManager.default.fileExists(atPath: $0) } }
}
