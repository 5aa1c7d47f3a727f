package import FerryDisk
import Foundation
import NIOCore

/// A class of disk work. Work of one lane can delay only other work of the same lane.
package struct DiskLane: Hashable, Sendable {
    /// Places that can block independently of each other.
    package enum Place: Hashable, Sendable {
        /// An unknown place.
        case anywhere
        /// The file systems of responsive folders that hold leftovers of finished transfers.
        case leftovers(Set<UInt64>)
        /// A folder with an unknown file system, because finding out may block.
        case folder(String)
        /// The file systems of a transfer's partial file and of its final name.
        case devices(home: UInt64?, target: UInt64?)
    }

    /// Kinds of work. Digests and copies of large files wait for each other, and never delay a checkpoint.
    package enum Work: Hashable, Sendable {
        case calls, bulk
    }

    package var place = Place.anywhere
    package var work = Work.calls

    package init(_ place: Place = .anywhere, _ work: Work = .calls) {
        self.place = place
        self.work = work
    }

    /// Maximum number of concurrent calls.
    package var width: Int { work == .calls ? 4 : 2 }
}

/// Work waiting per lane.
package struct DiskLanes<Work> {
    private struct Line {
        var running = 0
        var waiting: CircularBuffer<Work> = []
    }

    private var lines: [DiskLane: Line] = [:]

    package init() {}

    /// Adds work to a lane.
    ///
    /// - Returns: The work if it can start at once.
    package mutating func add(_ work: Work, to lane: DiskLane) -> Work? {
        var line = lines.removeValue(forKey: lane) ?? Line()
        defer { lines[lane] = line }
        guard line.running < lane.width else {
            line.waiting.append(work)
            return nil
        }
        line.running += 1
        return work
    }

    /// Records that work of a lane has finished.
    ///
    /// - Returns: The work to start in its place.
    package mutating func ended(in lane: DiskLane) -> Work? {
        guard var line = lines.removeValue(forKey: lane) else { return nil }
        let next = line.waiting.popFirst()
        if next == nil { line.running -= 1 }
        if line.running > 0 { lines[lane] = line }
        return next
    }

    /// Removes all work that has not started.
    package mutating func removeWaiting() -> [Work] {
        var all: [Work] = []
        for lane in lines.keys {
            while let next = lines[lane]?.waiting.popFirst() { all.append(next) }
        }
        return all
    }
}

/// Runs blocking file calls on dedicated threads, so that neither event loops nor Swift's tasks wait for a disk.
///
/// Each queue belongs to a lane. Calls of one lane can delay only each other.
package struct DiskQueue: Sendable {
    package let system: any DiskSystem
    private let workers: any DiskWorkers
    private var lane = DiskLane()

    init(system: any DiskSystem, workers: any DiskWorkers) {
        self.system = system
        self.workers = workers
    }

    /// Returns the queue for calls at a place. They can delay only other calls at the same place.
    package func at(_ place: DiskLane.Place) -> DiskQueue {
        var queue = self
        queue.lane.place = place
        return queue
    }

    /// The queue for digests and copies of large files at the same place.
    package var bulk: DiskQueue {
        var queue = self
        queue.lane.work = .bulk
        return queue
    }

    package func run<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async throws(DiskError) -> Value {
        try await result(body).get()
    }

    package func result<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async -> Result<Value, DiskError> {
        let (system, workers, lane) = (system, workers, lane)
        return await withCheckedContinuation { continuation in
            workers.run(in: lane) { refusal in
                continuation.resume(
                    returning: Result { () throws(DiskError) in
                        if let refusal { throw refusal }
                        return try body(system)
                    })
            }
        }
    }
}
