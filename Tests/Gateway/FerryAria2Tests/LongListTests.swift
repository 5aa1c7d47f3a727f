import Synchronization
import Testing

@testable import FerryAria2

@Suite(.timeLimit(.minutes(1))) struct `Long lists` {
    @Test func `are made few at a time`() async {
        let lists = LongLists(most: 2)
        let counts = Counts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await lists.whileInTurn {
                        counts.begin()
                        for _ in 0..<10 { await Task.yield() }
                        counts.end()
                    }
                }
            }
        }
        #expect(counts.most <= 2 && counts.ended == 50)
    }

    @Test func `release the lock when they fail`() async {
        let lists = LongLists(most: 1)
        for _ in 0..<3 {
            await #expect(throws: RPCFault.tooLarge) {
                try await lists.whileInTurn { () async throws(RPCFault) in throw RPCFault.tooLarge }
            }
        }
    }
}

/// Current and maximum number of calls in progress.
private final class Counts: Sendable {
    private let state = Mutex((now: 0, most: 0, ended: 0))

    var most: Int { state.withLock(\.most) }
    var ended: Int { state.withLock(\.ended) }

    func begin() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func end() {
        state.withLock { state in
            state.now -= 1
            state.ended += 1
        }
    }
}
