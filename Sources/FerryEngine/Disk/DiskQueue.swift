// Ferry: FerryEngine
// Where blocking disk calls wait for a thread.

import Foundation

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

    /// The queue for calls that may block as those at a place do.
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
