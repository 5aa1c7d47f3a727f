import FerryCore
import Testing

@testable import FerryService

@Suite struct `Waiters for transfers` {
    private func id(_ number: UInt64) -> TransferID { TransferID(rawValue: number) }

    @Test func `go on once each of their transfers was free, even before they wait`() async {
        var waiters = Waiters()
        let (both, second, none) = (
            waiters.enter(for: [id(1), id(2)]), waiters.enter(for: [id(2)]), waiters.enter(for: [])
        )
        waiters.resume([id(1), id(3)])
        waiters.resume([id(1), id(2)])
        for ticket in [both, second, none] {
            await withCheckedContinuation { waiters.wait(ticket, $0) }
        }
    }

    @Test func `are resumed by the end of the last operation, and by that of new transfers`() async {
        for isNew in [false, true] {
            var waiters = Waiters()
            let ticket = waiters.enter(for: [id(4), id(6)])
            waiters.resume([id(4)])
            await withCheckedContinuation { continuation in
                waiters.wait(ticket, continuation)
                if isNew { waiters.resume(in: id(5)...id(9)) } else { waiters.resume([id(6)]) }
            }
        }
    }
}
