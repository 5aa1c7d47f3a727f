import FerryCore
import FerryService
import FerryTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A service without work` {
    private final class Count: Sendable {
        let value = Atomic<Int>(0)
        var now: Int { value.load(ordering: .relaxed) }
    }

    /// The daemon must not keep the memory of its peak load forever.
    @Test func `it is idle after each piece of work`() async throws {
        let rests = Count()
        let script = OriginScript(SeededBody(seed: 91, size: 200_000))
        try await withService(.inProcess, script, { $0.atRest = { rests.value.add(1, ordering: .relaxed) } }) { bed in
            for round in 1...3 {
                let before = rests.now
                let transfer = try await bed.add("/\(round)")
                try await bed.wait(for: transfer.id, .succeeded)
                try await eventually("the service has come to rest") { rests.now > before }
            }
        }
    }
}
