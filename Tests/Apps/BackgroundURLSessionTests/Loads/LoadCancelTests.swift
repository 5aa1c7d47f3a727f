import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `A canceled data task` {
    private let body = SeededBody(seed: 82, size: 8_000_000)

    @Test func `30 a task is canceled while its delegate has not answered for the response`() async throws {
        try await withLoads(OriginScript(body), answersResponses: false) { bed in
            let task = bed.started()
            try await eventually("the delegate is asked") { bed.witness[task].calls == ["response"] }
            task.cancel()
            let story = try await bed.witness.end(of: task)
            #expect(story.error?.code == .cancelled && story.data.isEmpty)
        }
    }

    @Test func `30 a task whose bytes nobody reads is canceled`() async throws {
        try await withLoads(OriginScript(body)) { bed in
            let (bytes, _) = try await bed.session.bytes(from: bed.url)
            // The first byte has been read, and the task waits until the reader takes more.
            var iterator = bytes.makeAsyncIterator()
            _ = try await iterator.next()
            bytes.task.cancel()
            try await eventually("the task completes") { bytes.task.state == .completed }
            #expect((bytes.task.error as? URLError)?.code == .cancelled)
        }
    }

    @Test(arguments: [false, true])
    func `44 the error of a canceled task names its URL`(isStarted: Bool) async throws {
        let script = OriginScript(body, .on(.always, .hold("never", at: .head)))
        try await withLoads(script) { bed in
            let task = bed.session.dataTask(with: bed.url)
            if isStarted { task.resume() }
            task.cancel()
            let error = try #require(try await bed.witness.end(of: task).error)
            #expect(error.code == .cancelled && error.failingURL == bed.url)
        }
    }
}
