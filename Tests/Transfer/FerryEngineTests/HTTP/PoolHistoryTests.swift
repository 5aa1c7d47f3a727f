import FerryTesting
import Testing

/// docs/contributing.md describes how to run more of them.
@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `Histories of a pool` {
    @Test func `keep all laws`() async throws {
        var mutations = Mutations(seed: 0)
        try await mutations.rounds(3000) { _, round in
            #expect(PoolWorld.violation(seed: UInt64(round)) == nil)
        }
    }

    @Test(arguments: PoolMistake.allCases)
    func `show each mistake of an owner`(mistake: PoolMistake) {
        let found = (0..<UInt64(300)).contains { PoolWorld.violation(seed: $0, mistake: mistake) != nil }
        #expect(found)
    }
}
