import FerryFleet
import FleetKit
import Testing

/// Whole fleets under a seed: kills, stops, outages, lost answers and fail-overs.
@Suite(.timeLimit(.minutes(5))) struct `Simulated fleets` {
    @Test func `keep every law`() {
        var counts = FleetCounts()
        for seed in UInt64(1)...60 {
            var world = FleetWorld(seed: seed)
            let broken = world.run()
            #expect(broken == nil, "seed \(seed)")
            counts.add(world.counts)
        }
        // The histories contain what they are about.
        #expect(counts.kills > 500 && counts.stops > 200, "\(counts)")
        #expect(counts.rescues > 100 && counts.recognized > 3, "\(counts)")
        #expect(counts.refusals > 100, "\(counts)")
        #expect(counts.storeLosses > 30 && counts.storeReturns > 30, "\(counts)")
    }

    @Test func `keep every law when a fail-over forgets commits`() {
        var options = FleetWorld.Options()
        options.forgets = true
        var counts = FleetCounts()
        for seed in UInt64(1)...60 {
            var world = FleetWorld(seed: seed, options: options)
            let broken = world.run()
            #expect(broken == nil, "seed \(seed)")
            counts.add(world.counts)
        }
        #expect(counts.failovers > 20, "\(counts)")
    }

    @Test(arguments: [UInt64(7), 8])
    func `are the same for the same seed`(seed: UInt64) {
        var (first, second) = (FleetWorld(seed: seed), FleetWorld(seed: seed))
        #expect(first.run() == second.run())
        #expect(first.counts == second.counts && first.now == second.now)
    }

    @Test(arguments: MemoryQueue.Mistake.allCases)
    func `find a deliberate mistake`(mistake: MemoryQueue.Mistake) {
        let found = (UInt64(1)...1000).first { seed in
            var options = FleetWorld.Options()
            options.forgets = seed.isMultiple(of: 2)
            options.hasTroubles = false
            var world = FleetWorld(seed: seed, options: options, mistake: mistake)
            return world.run() != nil
        }
        #expect(found != nil)
    }
}
