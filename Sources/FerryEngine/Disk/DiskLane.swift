// Ferry: FerryEngine
// What of the work on disks may hold up what else.

import NIOCore

/// Work on disks that may hold up other such work, and nothing else.
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
