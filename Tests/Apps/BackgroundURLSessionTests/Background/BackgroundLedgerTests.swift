import FerryCore
import Testing

@testable import FerryURLSession

@Suite struct `Results of a session` {
    /// A reference to a ledger, because `#expect` cannot mutate a value.
    private final class Results {
        private var ledger: SessionLedger

        init(_ ledger: SessionLedger) { self.ledger = ledger }

        var isQuiet: Bool { ledger.isQuiet }
        @discardableResult func ended(_ id: TransferID, isKept: Bool = false) -> Bool {
            ledger.ended(id, isKept: isKept)
        }
        func finished(_ id: TransferID) { ledger.finished(id) }
        func takeRemovals() -> [TransferID] { ledger.takeRemovals() }
        func removed(isDone: Bool) { ledger.removed(isDone: isDone) }
        func restored() { ledger.restored() }
        func called() { ledger.called() }
        func asked() { ledger.asked() }
        func answered() { ledger.answered() }
        func takeFinish() -> Bool { ledger.takeFinish() }
    }

    private let a = TransferID(rawValue: 1)
    private let b = TransferID(rawValue: 2)

    @Test func `50 a result is delivered once, and removed when its last call has returned`() {
        let ledger = Results(SessionLedger(isRestored: true))
        #expect(ledger.isQuiet)
        #expect(ledger.ended(a))
        #expect(!ledger.ended(a))
        #expect(!ledger.isQuiet)
        #expect(ledger.takeRemovals().isEmpty)
        ledger.finished(a)
        #expect(!ledger.ended(a))
        #expect(ledger.takeRemovals() == [a])
        #expect(!ledger.ended(a) && !ledger.isQuiet)
        ledger.removed(isDone: true)
        #expect(ledger.isQuiet)
    }

    @Test func `50 tasks that the service did not remove are removed again, together with later ones`() {
        let ledger = Results(SessionLedger(isRestored: true))
        for id in [a, b] { ledger.ended(id) }
        ledger.finished(a)
        #expect(ledger.takeRemovals() == [a])
        ledger.finished(b)
        #expect(ledger.takeRemovals().isEmpty)
        ledger.removed(isDone: false)
        #expect(ledger.takeRemovals() == [a, b])
    }

    @Test func `56 the end of the events is said once, after those that waited, to an app that was called`() {
        let ledger = Results(SessionLedger())
        ledger.called()
        #expect(!ledger.takeFinish())
        ledger.ended(a, isKept: true)
        ledger.restored()
        ledger.ended(b)
        #expect(!ledger.takeFinish())
        ledger.finished(a)
        #expect(ledger.takeFinish())
        #expect(!ledger.takeFinish())
    }

    @Test func `56 nothing is said to an app that was not called`() {
        let ledger = Results(SessionLedger())
        ledger.ended(a, isKept: true)
        ledger.restored()
        ledger.finished(a)
        #expect(!ledger.takeFinish())
        ledger.called()
        #expect(ledger.takeFinish())
    }

    @Test func `54, 57 a question that is not answered is an event that is not over`() {
        let ledger = Results(SessionLedger(isRestored: true))
        ledger.called()
        ledger.asked()
        #expect(!ledger.takeFinish() && !ledger.isQuiet)
        ledger.answered()
        #expect(ledger.takeFinish() && ledger.isQuiet)
    }

    @Test func `57 a session is not quiet before its earlier tasks are there`() {
        let ledger = Results(SessionLedger())
        #expect(!ledger.isQuiet)
        ledger.restored()
        #expect(ledger.isQuiet)
    }
}
