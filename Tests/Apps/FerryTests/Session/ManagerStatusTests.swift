@testable import Ferry
import FerryURLSession
import Testing

@Suite struct `The state of a manager` {
    /// A reference to a state, because `#expect` cannot mutate a value.
    private final class Manager {
        private var status = ManagerStatus()

        var current: Status { status.current }
        func update(_ tasks: [Status]) -> Status? { status.update(counts(tasks)) }
        @discardableResult func listed(_ tasks: [Status]) -> Status? { status.listed(counts(tasks)) }
        func taskCame() { status.taskCame() }
        func taskWent(as departure: Status) { status.taskWent(as: departure) }
        func beganToEndAll(as departure: Status) { status.beganToEndAll(as: departure) }
        func endedAll(as departure: Status, isSome: Bool, _ tasks: [Status]) {
            status.endedAll(as: departure, isSome: isSome, counts(tasks))
        }

        private func counts(_ tasks: [Status]) -> StatusCounts {
            var counts = StatusCounts()
            for task in tasks { counts.add(task) }
            return counts
        }
    }

    /// docs/behaviour/session-manager.md#S8
    @Test(
        arguments: [
            ([], .waiting), ([.waiting, .failed], .running), ([.running, .suspended], .running),
            ([.suspended, .failed, .succeeded], .suspended), ([.failed, .succeeded], .failed),
            ([.succeeded], .succeeded),
        ] as [([Status], Status)])
    func `is that of its tasks, which is no change when it is known first`(tasks: [Status], expected: Status) {
        let manager = Manager()
        #expect(manager.listed(tasks) == nil && manager.current == expected)
        #expect(manager.update(tasks) == nil)
    }

    @Test func `is notified once for each change`() {
        let manager = Manager()
        manager.listed([.waiting])
        #expect(manager.update([.running]) == nil)
        #expect(manager.update([.succeeded]) == .succeeded)
        #expect(manager.listed([.succeeded]) == nil)
        #expect(manager.listed([.failed]) == .failed)
    }

    @Test func `is what became of the last task when there is none`() {
        let manager = Manager()
        manager.listed([.running])
        manager.taskWent(as: .canceled)
        #expect(manager.update([]) == .canceled)
    }

    @Test func `is what a call for all tasks has made of it, until a task comes`() {
        let manager = Manager()
        manager.listed([.running, .succeeded])
        manager.beganToEndAll(as: .canceled)
        #expect(manager.update([.running, .succeeded]) == nil)
        #expect(manager.update([.succeeded]) == .canceled)
        manager.endedAll(as: .canceled, isSome: true, [.succeeded])
        #expect(manager.update([.succeeded]) == nil)
        manager.taskCame()
        #expect(manager.update([.succeeded, .waiting]) == .running)
        #expect(manager.update([.succeeded]) == .succeeded)
    }

    @Test(arguments: [(false, [.succeeded]), (true, [.succeeded, .waiting])] as [(Bool, [Status])])
    func `is not that of a call which ended no task, or was overtaken`(isSome: Bool, left: [Status]) {
        let manager = Manager()
        manager.listed([.succeeded])
        manager.beganToEndAll(as: .removed)
        manager.endedAll(as: .removed, isSome: isSome, left)
        _ = manager.update(left)
        #expect(manager.current == (isSome ? .running : .succeeded))
    }
}

@Suite struct `The completion handler of an app` {
    private final class Completion {
        private var completion = BackgroundCompletion()

        var isDue: Bool { completion.isDue }
        func set() -> BackgroundCompletion.Next { completion.set {} }
        func listed() { completion.listed() }
        func called() { completion.called() }
        func beginEnd() -> Bool { completion.beginEnd() }
        func eventsAreOver() { completion.eventsAreOver() }
        func leave() { completion.leave() }
        func isTaken() -> Bool { completion.takeDueHandler() != nil }
    }

    /// docs/behaviour/session-manager.md#P8
    @Test func `is called once, after all events of the call`() {
        let completion = Completion()
        completion.called()
        #expect(!completion.beginEnd())
        completion.listed()
        #expect(completion.set() == .callWhenDue && !completion.isTaken())
        #expect(completion.beginEnd() && !completion.beginEnd())
        completion.eventsAreOver()
        #expect(completion.isTaken() && !completion.isTaken())
    }

    @Test func `is called at once if it is set after the events`() {
        let completion = Completion()
        completion.listed()
        completion.called()
        #expect(completion.beginEnd())
        completion.eventsAreOver()
        #expect(completion.set() == .callWhenDue && completion.isTaken())
    }

    @Test func `of an app that was not called waits until all is delivered`() {
        let completion = Completion()
        #expect(completion.set() == .awaitEvents)
        completion.eventsAreOver()
        #expect(completion.isDue && completion.isTaken())
    }

    @Test func `is not called where a closure takes its place`() {
        let completion = Completion()
        #expect(completion.set() == .awaitEvents)
        completion.eventsAreOver()
        completion.leave()
        #expect(!completion.isTaken())
    }
}
