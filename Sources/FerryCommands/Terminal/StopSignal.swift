// Ferry: FerryCommands
// A signal that asks this process to end.

import Glibc

/// A signal that asks this process to end.
package enum StopSignal: CaseIterable, Sendable {
    /// Ctrl-C.
    case interrupt
    case terminate
    /// The terminal is gone.
    case hangUp

    var number: CInt {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    /// Exit status of a process that ended because of it, as shells count: 130, 143 and 129.
    package var exitStatus: Int32 { 128 + number }
}
