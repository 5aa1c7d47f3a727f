import FerryCore
import Testing

@testable import FerryService

@Suite struct `Settings locks` {
    @Test func `are given in the order in which callers came`() async {
        var locks = SettingsLocks()
        let (isFirst, isSecond, isOther) = (locks.take(nil), locks.take(nil), locks.take(.cli))
        #expect(isFirst && !isSecond && isOther)
        await withCheckedContinuation { continuation in
            locks.wait(nil, continuation)
            locks.leave(nil)
        }
        #expect(locks.isTaken(nil))
        locks.leave(nil)
        #expect(!locks.isTaken(nil) && locks.isTaken(.cli))
    }
}
