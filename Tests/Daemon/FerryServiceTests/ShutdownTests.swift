import Dispatch
import FerryCore
@testable import FerryQueue
@testable import FerryService
import FerryStore
import FerryTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The end of a service` {
    private static let small = SeededBody(seed: 9, size: 2_000)

    /// Otherwise the attempt would start after all others have stopped, and the shutdown would wait for it.
    @Test func `a transfer that is just getting its slot makes no attempt`() async throws {
        let script = OriginScript(Self.small, .on(.path("/first"), .hold("first", at: .head)))
        try await withStoredService(script) { bed, service in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            try await bed.add("/first")
            await bed.origin.waitForHold("first")
            let second = try await bed.add("/second")
            try await bed.wait(for: second.id, .waiting)
            let reads = HeldReads()
            try await reads.hold(service.journal)
            // It has a slot and waits until its record is read.
            await service.giveSlots(2)
            #expect(await service.running.contains(second.id))
            let end = Task { await service.shutdown() }
            try await eventually("the end has begun") { service.life.isEnding }
            reads.release()
            await end.value
            #expect(bed.asked == ["/first"])
        }
    }
}

extension LocalTransferService {
    /// Assigns slots at once, without a change in the journal.
    func giveSlots(_ count: Int) {
        var settings = queue.sessions.settings
        settings.activeTransfers = count
        queue.take(.settings(settings, conditions.report))
    }
}

/// Keeps all readers of a journal busy.
private final class HeldReads: Sendable {
    /// Number of the journal's readers.
    private static let readers = 4

    private let running = Atomic(0)
    private let isReleased = DispatchSemaphore(value: 0)

    func hold(_ journal: any Journal) async throws {
        for _ in 0..<Self.readers {
            Task {
                try await journal.read { _ throws(ServiceError) in
                    self.running.add(1, ordering: .relaxed)
                    self.isReleased.wait()
                    self.isReleased.signal()
                }
            }
        }
        try await eventually("all readers are busy") { running.load(ordering: .relaxed) == Self.readers }
    }

    func release() { isReleased.signal() }
}
