import FerryCore
import FerryDisk
import FerryEngine
import FerryRules
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

    /// A regression: an idle thread kept its last job for ten seconds, and with it the open folder of a disk that the user
    /// wanted to unmount.
    @Test func `keep nothing of a job once it is done`() async throws {
        final class Held: Sendable {
            let released: AsyncStream<Void>.Continuation

            init(_ released: AsyncStream<Void>.Continuation) { self.released = released }

            deinit { released.yield() }
        }
        let (releases, released) = AsyncStream.makeStream(of: Void.self)
        let threadsEnded = Atomic(0)
        let workers = DiskThreads { work in
            BlockingThread.start {
                work()
                threadsEnded.add(1, ordering: .sequentiallyConsistent)
            }
        }
        let disk = DiskQueue(system: SystemDisk(), workers: workers)
        // On a new thread, and on one that was idle.
        for _ in 0..<2 {
            let isDone = await disk.result { [held = Held(released)] _ throws(DiskError) in
                withExtendedLifetime(held) { true }
            }
            #expect((try? isDone.get()) == true)
            var all = releases.makeAsyncIterator()
            await all.next()
            #expect(threadsEnded.load(ordering: .sequentiallyConsistent) == 0)
        }
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
