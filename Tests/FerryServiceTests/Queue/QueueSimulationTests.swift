import FerryCore
import Testing

@testable import FerryService

/// Clients, attempts, clocks and networks of one seed, around the queue that the service uses.
@Suite(.timeLimit(.minutes(2))) struct `The simulated queue` {
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `keeps its laws, whatever happens, and comes to rest`(seed: UInt64) {
        var world = QueueWorld(seed: seed)
        for _ in 0..<250 { world.step() }
        world.settle()
        #expect(world.broken == nil)
    }

    /// Laws that no mistake breaks would say nothing.
    @Test(arguments: QueueWorld.Mistake.allCases)
    func `breaks a law when a mistake is made`(mistake: QueueWorld.Mistake) {
        let found = (1...20 as ClosedRange<UInt64>).count { seed in
            var world = QueueWorld(seed: seed, mistake: mistake)
            for _ in 0..<300 { world.step() }
            return world.broken != nil
        }
        #expect(found >= 10)
    }
}
