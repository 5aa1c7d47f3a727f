import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct `The gate of events` {
    private final class Note: Sendable {
        let isTaken = Mutex(false)
    }

    @Test(.timeLimit(.minutes(1))) func `56 opens by itself in a process that nobody runs as an app`() async {
        let note = Note()
        let gate = EventGate(isOpen: false) { note.isTaken.withLock { $0 = true } }
        await gate.pass()
        #expect(note.isTaken.withLock { $0 }, "the process counts as called before the first event passes")
        await gate.pass()
    }

    @Test func `55 is opened by whoever holds it, and by nobody else`() async {
        let gate = EventGate(isOpen: false) { Issue.record("nobody but its holder opens the gate") }
        gate.hold()
        gate.openUnlessHeld()
        async let passed: Void = gate.pass()
        gate.open()
        await passed
    }

    @Test func `60 passes no event once it is closed`() async {
        let gate = EventGate(isOpen: true)
        await gate.pass()
        gate.close()
        gate.openUnlessHeld()
        #expect(!gate.isOpen)
    }
}
