import FerryCore
import Foundation
import Testing

@Suite struct `The rule of launches` {
    typealias Change = @Sendable (inout LaunchRule.Situation) -> Void

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let decision: LaunchRule.Decision
        let change: Change

        init(_ description: String, _ decision: LaunchRule.Decision, _ change: @escaping Change) {
            testDescription = description
            self.decision = decision
            self.change = change
        }
    }

    static let cases = [
        Case("54 all is done while no process is attached", .launch) { _ in },
        Case("54 a process is attached", .none) { $0.isAttached = true },
        Case("54 it sends no launch events", .none) { $0.sendsLaunchEvents = false },
        Case("54 something runs or waits", .none) { $0.isWorking = true },
        Case("54 something asks while others run", .launch) {
            $0.isWorking = true
            $0.isAsking = true
            $0.hasResults = false
        },
        Case("54 nothing has ended", .none) { $0.hasResults = false },
        Case("54 no new work since the app was told", .none) { $0.hasNews = false },
        Case("55 a run loop listens", .notify) { $0.hasRunLoop = true },
        Case("55 a run loop listens and there is no command", .notify) {
            $0.hasRunLoop = true
            $0.hasCommand = false
        },
        Case("55 there is no command", .none) { $0.hasCommand = false },
        Case("58 a launch is under way", .none) { $0.isCalled = true },
        Case("58 the run loop was told and has yet to attach", .none) {
            $0.hasRunLoop = true
            $0.isCalled = true
        },
        Case("60 the user has quit it", .none) { $0.isQuit = true },
    ]

    @Test(arguments: cases) func `54, 55, 60 an app is notified in the right situations only`(_ example: Case) {
        var situation = LaunchRule.Situation()
        example.change(&situation)
        #expect(LaunchRule.decide(situation) == example.decision)
    }
}

@Suite struct `The delay after launches` {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    @Test func `59 is 0 before the first launch`() {
        #expect(RelaunchDelay().rest(now: start) == 0)
    }

    @Test(
        arguments: [
            // Launch times in seconds, whether the last launch is a repetition, and the delay after it.
            ([0], false, 60), ([0, 59], false, 120), ([0, 59, 100], false, 240), ([0, 61], false, 60),
            ([0, 30, 151], false, 60), ([0, 60], true, 120), ([0, 61], true, 120),
        ] as [([Double], Bool, Double)])
    func `59 is doubled by a launch before its end and by a repeated one`(
        moments: [Double], isRepeated: Bool, seconds: Double
    ) {
        var delay = RelaunchDelay()
        for (number, moment) in moments.enumerated() {
            let isLast = number == moments.count - 1
            delay.launched(first: 60, isRepeated: isLast && isRepeated, now: start.addingTimeInterval(moment))
        }
        #expect(delay.seconds == seconds)
        #expect(delay.rest(now: start.addingTimeInterval(moments.last ?? 0)) == seconds)
    }

    @Test func `59 is over when a foreground process attaches`() {
        var delay = RelaunchDelay()
        delay.launched(first: 60, isRepeated: false, now: start)
        delay.foregroundAttached()
        #expect(delay.rest(now: start) == 0)
        delay.launched(first: 60, isRepeated: false, now: start)
        #expect(delay.seconds == 60)
    }

    @Test func `59 a clock that was set back does not lengthen it`() {
        var delay = RelaunchDelay()
        delay.launched(first: 60, isRepeated: false, now: start)
        #expect(delay.rest(now: start.addingTimeInterval(-86_400)) == 60)
    }
}
