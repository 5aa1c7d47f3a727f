import CFerrySystem
import Dispatch
import FerryEngine
import Foundation

/// Memory use of a process that runs for weeks and is mostly idle.
package enum ProcessMemory {
    /// Limits the number of memory arenas, so that threads can reuse each other's freed memory. By default the C
    /// library creates eight arenas per processor, and memory in one cannot be used by another. Call it first.
    package static func limit() { ferry_limit_arenas(4) }

    /// Returns unused memory and program pages to the system. Returns at once.
    package static func giveBack() { DispatchQueue.global(qos: .utility).async { ferry_give_memory_back() } }
}

/// Threads of the daemon's process.
package enum ProcessThreads {
    /// Number of threads for event loops, Swift's pool, disks and name resolution with a few transfers.
    package static let least = 24 + 2 * ProcessInfo.processInfo.activeProcessorCount

    /// Whether the system grants this many more threads at the moment. Without them NIO aborts the process, and Swift
    /// waits forever, so check before anything else runs.
    package static func areAvailable(_ count: Int = least) -> Bool { BlockingThread.areAvailable(count) }
}
