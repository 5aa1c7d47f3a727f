// Ferry: FerryService
// The memory of the daemon's process.

import CFerrySystem
import Dispatch

/// The memory of a process that lives for weeks and works now and then.
package enum ProcessMemory {
    /// Keeps what threads free where others find it: by its own rule the C library makes eight arenas for each processor,
    /// and memory that one of them has is no other one's. Call first thing.
    package static func limit() { ferry_limit_arenas(2) }

    /// Gives back what the last work has left; returns at once.
    package static func giveBack() { DispatchQueue.global(qos: .utility).async { ferry_give_memory_back() } }
}
