import Testing

@testable import FerryURLSession

@Suite struct CoreLedgerTests {
    enum Event: Sendable { case resume, suspend, cancel, complete }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var events: [Event]
        var actions: [TaskLedger.Action]
        var state: URLSessionTask.State
    }

    static let cases = [
        Case(testDescription: "4 new", events: [], actions: [], state: .suspended),
        Case(testDescription: "34 resumed", events: [.resume], actions: [.resume], state: .running),
        Case(
            testDescription: "34 surplus resume", events: [.resume, .resume, .suspend],
            actions: [.resume, .none, .suspend], state: .suspended),
        Case(
            testDescription: "34 nested suspends", events: [.resume, .suspend, .suspend, .resume, .resume],
            actions: [.resume, .suspend, .none, .none, .resume], state: .running),
        Case(
            testDescription: "34 suspended before its first resume", events: [.suspend, .resume, .resume],
            actions: [.none, .none, .resume], state: .running),
        Case(
            testDescription: "suspends still outnumber resumes", events: [.suspend, .resume],
            actions: [.none, .none], state: .suspended),
        Case(
            testDescription: "canceled once", events: [.cancel, .cancel], actions: [.cancel, .none], state: .canceling),
        Case(
            testDescription: "a canceled task neither starts nor stops", events: [.cancel, .resume, .suspend],
            actions: [.cancel, .none, .none], state: .canceling),
        Case(
            testDescription: "35 a completed task does nothing more",
            events: [.resume, .complete, .complete, .suspend, .resume, .cancel],
            actions: [.resume, .resume, .none, .none, .none, .none], state: .completed),
    ]

    @Test(arguments: cases)
    func `34 suspends and resumes nest, and an end is an end`(_ row: Case) {
        var ledger = TaskLedger()
        let actions = row.events.map { event -> TaskLedger.Action in
            switch event {
            case .resume: ledger.resumed()
            case .suspend: ledger.suspended()
            case .cancel: ledger.cancelled()
            // `.resume` stands for "the first completion", `.none` for a later one.
            case .complete: ledger.completed() ? .resume : .none
            }
        }
        #expect(actions == row.actions)
        #expect(ledger.state == row.state)
    }
}
