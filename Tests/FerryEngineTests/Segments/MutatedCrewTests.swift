import FerryTesting
import Testing

/// Histories of workers that lie, are cut, shortened and stolen from, with kills between any two steps.
///
/// `FERRY_FUZZ_ROUNDS=100000 scripts/test 'Mutated crews'` tries as many of them.
@Suite(.timeLimit(.minutes(Mutations.minutes(3)))) struct `Mutated crews` {
    @Test func `place the file with right bytes alone`() async throws {
        var mutations = Mutations(seed: 77)
        var placed = 0
        try await mutations.rounds(3000) { mutations, _ in
            let seed = mutations.next()
            var crew = SimulatedCrew(seed: seed)
            crew.run()
            if crew.isPlaced { placed += 1 }
            #expect(!crew.isPlaced || crew.isRight, "seed \(seed)")
            #expect(crew.isPlaced, "seed \(seed) does not come to its end")
        }
        #expect(placed > 0)
    }

    @Test(arguments: SimulatedCrew.Mistake.allCases) func `are found out where a rule is broken`(
        mistake: SimulatedCrew.Mistake
    ) {
        var mutations = Mutations(seed: 78)
        let found = (0..<2000).contains { _ in
            var crew = SimulatedCrew(seed: mutations.next(), mistake: mistake)
            crew.run()
            return crew.isPlaced && !crew.isRight
        }
        #expect(found)
    }
}
