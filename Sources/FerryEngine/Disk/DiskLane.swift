import Foundation
import NIOCore

/// A kind of work on disks: work of one lane may hold up other work of that lane, and nothing else.
package struct DiskLane: Hashable, Sendable {
    /// What may block together.
    package enum Place: Hashable, Sendable {
        /// Nothing is known of it.
        case anywhere
        /// The file systems of folders that have answered, and hold what ended transfers left.
        case leftovers(Set<UInt64>)
        /// A folder whose file system has not been looked at: to look is what may block.
        case folder(String)
        /// The file systems of a transfer's partial file and of its final name.
        case devices(home: UInt64?, target: UInt64?)
    }

    /// Digests and copies of large files wait for each other, and never keep a checkpoint from becoming durable.
    package enum Work: Hashable, Sendable {
        case calls, bulk
    }

    package var place = Place.anywhere
    package var work = Work.calls

    package init(_ place: Place = .anywhere, _ work: Work = .calls) {
        self.place = place
        self.work = work
    }

    /// How much is done at the same time.
    package var width: Int { work == .calls ? 4 : 2 }
}

/// Work that waits for its turn, lane by lane.
package struct DiskLanes<Work> {
    private struct Line {
        var running = 0
        var waiting: CircularBuffer<Work> = []
    }

    private var lines: [DiskLane: Line] = [:]

    package init() {}

    /// Adds work to a lane.
    ///
    /// - Returns: the work, if it begins at once.
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

    /// Takes note that work of a lane has ended.
    ///
    /// - Returns: what begins in its place.
    package mutating func ended(in lane: DiskLane) -> Work? {
        guard var line = lines.removeValue(forKey: lane) else { return nil }
        let next = line.waiting.popFirst()
        if next == nil { line.running -= 1 }
        if line.running > 0 { lines[lane] = line }
        return next
    }

    /// Takes out everything that has not begun.
    package mutating func removeWaiting() -> [Work] {
        var all: [Work] = []
        for lane in lines.keys {
            while let next = lines[lane]?.waiting.popFirst() { all.append(next) }
        }
        return all
    }
}

/// Runs blocking calls on files on threads of their own, so that neither event loops nor Swift's tasks wait for a disk.
///
/// Each queue belongs to a lane: calls of one lane may hold up each other, and nothing else.
package struct DiskQueue: Sendable {
    package let system: any DiskSystem
    private let threads: DiskThreads
    private var lane = DiskLane()

    init(system: any DiskSystem, threads: DiskThreads) {
        self.system = system
        self.threads = threads
    }

    /// The queue for calls at a place: they may hold up other calls at the same place, and nothing else.
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
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async throws(DiskError) -> Value {
        try await result(body).get()
    }

    package func result<Value: Sendable>(
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async -> Result<Value, DiskError> {
        let (system, threads, lane) = (system, threads, lane)
        return await withCheckedContinuation { continuation in
            threads.run(in: lane) { refusal in
                continuation.resume(
                    returning: Result { () throws(DiskError) in
                        if let refusal { throw refusal }
                        return try body(system)
                    })
            }
        }
    }
}
