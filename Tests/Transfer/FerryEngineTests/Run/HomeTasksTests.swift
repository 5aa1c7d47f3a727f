import Dispatch
import FerryRules
import NIOCore
import Testing

@testable import FerryEngine

@Suite struct `Tasks on the loop of decisions` {
    @Test func `are resumed there, whatever thread resumes them`() async throws {
        try await withEngine { harness in
            let tasks = try #require(harness.engine.homeTasks)
            let loop = harness.engine.loops[EngineLoops.home]
            let wasThere = await Task(executorPreference: tasks) {
                let before = loop.inEventLoop
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume() }
                }
                return [before, loop.inEventLoop]
            }.value
            #expect(wasThere == [true, true])
        }
    }

    @Test func `call the actors of the engine without leaving the loop`() async throws {
        try await withEngine { harness in
            let tasks = try #require(harness.engine.homeTasks)
            let loop = harness.engine.loops[EngineLoops.home]
            let files = harness.engine.smallFiles(at: .anywhere)
            let isThere = await Task(executorPreference: tasks) {
                _ = await files.place([])
                return loop.inEventLoop
            }.value
            #expect(isThere)
        }
    }
}
