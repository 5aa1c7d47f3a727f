import Testing

@testable import FerryService

@Suite struct `Locks by key` {
    /// A caller may enter a line before it can wait.
    @Test func `are given in the order in which callers came`() async {
        var lock = KeyedLock<Int>()
        let first = lock.enter(1)
        #expect(first == nil && lock.isTaken(1))
        let (second, third) = (lock.enter(1), lock.enter(1))
        let isOtherFree = lock.take(2)
        #expect(isOtherFree)
        lock.leave(1)
        // The second has the lock and need not wait.
        if let second { await withCheckedContinuation { lock.wait(1, second, $0) } }
        lock.leave(1)
        if let third { await withCheckedContinuation { lock.wait(1, third, $0) } }
        #expect(second != nil && third != nil && lock.isTaken(1))
        lock.leave(1)
        #expect(!lock.isTaken(1))
    }

    @Test func `wake the caller who waits`() async {
        var lock = KeyedLock<Int>()
        _ = lock.enter(1)
        guard let ticket = lock.enter(1) else {
            Issue.record("two callers have the lock")
            return
        }
        await withCheckedContinuation { continuation in
            lock.wait(1, ticket, continuation)
            lock.leave(1)
        }
        #expect(lock.isTaken(1))
    }
}
