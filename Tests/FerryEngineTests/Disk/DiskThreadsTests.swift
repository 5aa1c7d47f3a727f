import FerryCore
import Foundation
import Synchronization
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Threads for work on disks` {
    /// Gives as many threads as a test says.
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

    /// Otherwise whoever asked would wait for ever, and so would the end of the engine.
    @Test func `refuse their work with what to do where the system gives no thread, and work again when it does`()
        async throws
    {
        let threads = Threads(0)
        let workers = DiskThreads(startThread: threads.start)
        let disk = DiskQueue(system: SystemDisk(), threads: workers)
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

    @Test func `do in turn what one thread can do where there are no more`() async throws {
        let workers = DiskThreads(startThread: Threads(1).start)
        let disk = DiskQueue(system: SystemDisk(), threads: workers)
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
