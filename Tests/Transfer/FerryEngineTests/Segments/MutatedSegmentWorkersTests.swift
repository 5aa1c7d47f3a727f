import FerryTesting
import Testing

/// Random histories of workers that send wrong bytes, lose their connection, are shortened or lose work to others, with
/// kills between any two steps.
///
/// `FERRY_FUZZ_ROUNDS=100000 scripts/test 'Mutated segment workers'` runs that many histories.
@Suite(.timeLimit(.minutes(Mutations.minutes(3)))) struct `Mutated segment workers` {
    @Test func `place the file with right bytes alone`() async throws {
        var mutations = Mutations(seed: 77)
        var placed = 0
        try await mutations.rounds(3000) { mutations, _ in
            let seed = mutations.next()
            var workers = SimulatedWorkers(seed: seed)
            workers.run()
            if workers.isPlaced { placed += 1 }
            #expect(!workers.isPlaced || workers.isRight, "seed \(seed)")
            #expect(workers.isPlaced, "seed \(seed) does not come to its end")
        }
        #expect(placed > 0)
    }

    @Test(arguments: SimulatedWorkers.Mistake.allCases) func `are found out where a rule is broken`(
        mistake: SimulatedWorkers.Mistake
    ) {
        var mutations = Mutations(seed: 78)
        let found = (0..<2000).contains { _ in
            var workers = SimulatedWorkers(seed: mutations.next(), mistake: mistake)
            workers.run()
            return workers.isPlaced && !workers.isRight
        }
        #expect(found)
    }
}
