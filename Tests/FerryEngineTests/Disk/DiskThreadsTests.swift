import FerryCore
import FerryEngine
import Foundation
import Synchronization
import Testing
@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Threads for work on disks` {
    /// Starts at most as many threads as a test allows.
    private final class Threads: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func give(_ count: Int) { left.withLock { $0 = count } }

        func start(_ work: @escaping @Sendable () -> Void) -> Bool {
            let isGiven = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isGiven && BlockingThread.start(work)
        }
    }

    /// Otherwise the callers and the engine's shutdown would wait forever.
    @Test func `refuse their work with what to do where the system gives no thread, and work again when it does`()
        async throws
    {
        let threads = Threads(0)
        let workers = DiskThreads(startThread: threads.start)
        let disk = DiskQueue(system: SystemDisk(), workers: workers)
        for _ in 1...10 {
            guard case .failure(let error) = await disk.result({ _ throws(DiskError) in 1 }) else {
                Issue.record("work was done without a thread")
                continue
            }
            #expect(error.errno == EAGAIN)
            #expect(error.transferError.message.contains("TasksMax="))
            #expect(error.transferError.code == .diskIO)
        }
        threads.give(1)
        let answer = try await disk.result { _ throws(DiskError) in 7 }.get()
        #expect(answer == 7)
        await workers.shutdown()
    }

    @Test func `do one after another what one thread can do where there are no more`() async throws {
        let workers = DiskThreads(startThread: Threads(1).start)
        let disk = DiskQueue(system: SystemDisk(), workers: workers)
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        async let first = disk.result { _ throws(DiskError) in
            begin.yield()
            gate.wait()
            return 1
        }
        for await _ in begins { break }
        let refused = await disk.result { _ throws(DiskError) in 2 }
        #expect(throws: DiskError.self) { try refused.get() }
        gate.signal()
        let one = try await first.get()
        #expect(one == 1)
        await workers.shutdown()
    }
}

struct `Lanes of work on disks` {
    private let lane = DiskLane(.devices(home: 1, target: 1))

    @Test func `a lane does a few things at a time, in their order`() {
        var lanes = DiskLanes<Int>()
        let begun = (1...7).map { lanes.add($0, to: lane) }
        #expect(begun == [1, 2, 3, 4, nil, nil, nil])
        let next = (1...3).map { _ in lanes.ended(in: lane) }
        #expect(next == [5, 6, 7])
        let none = lanes.ended(in: lane)
        #expect(none == nil)
        let later = lanes.add(8, to: lane)
        #expect(later == 8)
    }

    @Test(arguments: [
        DiskLane(.devices(home: 2, target: 2)), DiskLane(.devices(home: 1, target: 2)), DiskLane(.folder("/")),
        DiskLane(.devices(home: 1, target: 1), .bulk),
    ])
    func `no lane waits for another`(other: DiskLane) {
        var lanes = DiskLanes<Int>()
        for work in 1...9 { _ = lanes.add(work, to: lane) }
        let begun = lanes.add(10, to: other)
        #expect(begun == 10)
    }

    @Test func `a job that has not begun can be removed`() {
        var lanes = DiskLanes<Int>()
        for work in 1...6 { _ = lanes.add(work, to: lane) }
        let waiting = lanes.removeWaiting()
        #expect(waiting == [5, 6])
        let next = lanes.ended(in: lane)
        #expect(next == nil)
    }
}
