@testable import Ferry
import Testing

@Suite struct `Calls on a task` {
    /// A call changes the shown status of a running task until it gets a response or the daemon reports the new state.
    @Test(
        arguments: [
            (.suspend, .running, .willSuspend, false), (.cancel, .running, .willCancel, true),
            (.remove(completely: false), .running, .willRemove, true), (.start, .suspended, nil, false),
            (.suspend, .waiting, nil, false), (.cancel, .waiting, nil, true), (.cancel, .succeeded, nil, false),
            (.remove(completely: true), .succeeded, nil, true),
        ] as [(Control, Status, Status?, Bool)])
    func `show what becomes of a running task, and know which ones leave`(
        control: Control, stored: Status, shown: Status?, leaves: Bool
    ) {
        var calls = TaskCalls()
        let begun = calls.begin(control, stored: stored)
        #expect(begun.isShown == (shown != nil) && begun.leaves == leaves)
        #expect(calls.shown == shown && calls.isLeaving == leaves)
        calls.end(control)
        if begun.leaves { calls.endLeaving() }
        #expect(calls.shown == nil && !calls.isLeaving)
    }

    @Test(
        arguments: [
            (.suspend, .suspended, true), (.suspend, .succeeded, true), (.cancel, .suspended, false),
            (.cancel, .canceled, true), (.cancel, .failed, true), (.suspend, .running, false),
            (.remove(completely: false), .removed, true),
        ] as [(Control, Status, Bool)])
    func `are shown until the daemon says that they are done or in vain`(
        control: Control, status: Status, isDone: Bool
    ) {
        var calls = TaskCalls()
        _ = calls.begin(control, stored: .running)
        calls.came(to: status, from: .running)
        #expect((calls.shown == nil) == isDone)
    }

    @Test func `that follow another leave what that one shows`() {
        var calls = TaskCalls()
        _ = calls.begin(.suspend, stored: .running)
        _ = calls.begin(.cancel, stored: .running)
        calls.end(.suspend)
        #expect(calls.shown == .willCancel)
    }

    @Test func `that end the task mean what the first of them means`() {
        var calls = TaskCalls()
        calls.carryOut(.suspend)
        #expect(calls.departure == nil)
        calls.carryOut(.cancel)
        calls.carryOut(.remove(completely: true))
        #expect(calls.departure == .canceled)
    }

    /// Only one task has a URL, so a replaced task is forgotten if the call that should have ended it came too late.
    @Test func `make room for another download of the URL only while one of them ends the task`() {
        var calls = TaskCalls()
        let before = (calls.makeRoom(), calls.forgetIfReplaced())
        #expect(before == (false, false) && !calls.isForgotten)
        _ = calls.begin(.cancel, stored: .running)
        let meanwhile = calls.makeRoom()
        calls.endLeaving()
        let after = calls.makeRoom()
        #expect(meanwhile && !after)
        let isForgotten = calls.forgetIfReplaced()
        #expect(isForgotten && calls.isForgotten)
    }
}

@Suite struct `Closures for the progress of a task` {
    private let start = ContinuousClock.now

    @Test func `get bytes ten times a second at most, and the rest at the end`() {
        var closures = TaskClosures()
        func tells(_ received: Int64, of total: Int64 = 100, isLast: Bool = false, after milliseconds: Int) -> Bool {
            closures.reportsProgress(
                received: received, total: total, isLast: isLast, at: start + .milliseconds(milliseconds))
        }
        #expect(!tells(0, after: 0))
        #expect(tells(10, after: 0))
        #expect(!tells(20, after: 50))
        #expect(tells(20, after: 100))
        #expect(!tells(20, after: 300))
        #expect(tells(30, isLast: true, after: 310))
        #expect(!tells(30, isLast: true, after: 320))
        // A size that becomes known only at the end.
        #expect(tells(30, of: 30, isLast: true, after: 330))
    }

    @Test func `wait in their queue once, and are the newest when they are sent`() {
        var closures = TaskClosures()
        let none = closures.queueProgress()
        let first = closures.slots.set(.progress, onMainQueue: true) { _ in }
        let queued = closures.queueProgress()
        let again = closures.queueProgress()
        #expect(none == nil && queued?.number == first.number && again == nil)
        let second = closures.slots.set(.progress, onMainQueue: true) { _ in }
        let called = closures.takeProgress()
        let next = closures.queueProgress()
        #expect(called?.number == second.number && next?.number == second.number)
    }
}
