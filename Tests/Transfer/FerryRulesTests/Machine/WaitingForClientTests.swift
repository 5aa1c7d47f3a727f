import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Waiting for the client` {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let moment = TransferMachine.Moment(now: now, random: 0.5)

    private func machine(_ change: (inout TransferRequest) -> Void = { _ in }) -> TransferMachine {
        var request = TransferRequest(url: "http://a.example/f", folder: "/d")
        change(&request)
        return TransferMachine(
            TransferRecord(id: TransferID(rawValue: 7), createdAt: Self.now, request: request, credentials: nil))
    }

    private func shown(_ machine: TransferMachine) -> Transfer { Transfer(machine.record, live: .waiting(.slot)) }

    @Test func `27 a challenge waits for its answer, without a time`() {
        let challenge = PendingChallenge.authentication(
            AuthenticationChallenge(
                scheme: .basic, realm: "r", host: "a.example", port: 80, isSecure: false, isProxy: false))
        var machine = machine()
        let action = machine.attemptEnded(
            .challenged(challenge), facts: TransferFacts(), at: Self.moment)
        #expect(action == .enqueue(after: TransferMachine.untilAnswered, .authentication))
        #expect(machine.record.failures.failures == 0)
        #expect(shown(machine).state == .waiting && shown(machine).reason == .authentication)
        #expect(shown(machine).challenge == challenge && shown(machine).times.nextAttempt == nil)
    }

    @Test(arguments: [(403, true), (410, false)])
    func `a status that means an expired URL waits for another one`(status: Int, waits: Bool) {
        var machine = machine { $0.timing.retryRule = RetryRule(expiredStatusCodes: [403]) }
        let error = ServiceError(.httpStatus, "Forbidden.", details: ErrorDetails(httpStatus: status))
        let action = machine.attemptEnded(
            .failed(error, retryAfter: nil), facts: TransferFacts(), at: Self.moment)
        #expect((action == .enqueue(after: TransferMachine.untilAnswered, .expired)) == waits)
        if !waits, case .finish(.failed) = action {} else { #expect(waits) }
    }

    @Test(arguments: [(FullDiskPolicy.wait, false), (.fail, true)])
    func `68 a full disk ends the transfer whose client wants that`(policy: FullDiskPolicy, ends: Bool) {
        var machine = machine { $0.file.onFullDisk = policy }
        let error = ServiceError(.diskFull, "No room.")
        let action = machine.attemptEnded(
            .failed(error, retryAfter: nil), facts: TransferFacts(), at: Self.moment)
        #expect((action == .finish(.failed(error))) == ends)
        #expect((machine.record.retry?.reason == .disk) == !ends)
    }
}
