import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `A data task under conditions` {
    private let body = SeededBody(seed: 83, size: 4_000_000)

    private var waiting: FerryURLSession.URLSessionConfiguration {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        configuration.waitsForConnectivity = true
        return configuration
    }

    @Test(arguments: [
        (WaitReason.network, nil), (.cellular, URLError.NetworkUnavailableReason.cellular), (.expensive, .expensive),
        (.constrained, .constrained),
    ])
    func `71 a task that does not wait ends with -1009`(
        reason: WaitReason, shown: URLError.NetworkUnavailableReason?
    ) async throws {
        try await withLoads(OriginScript(body), obstacle: reason) { bed in
            let error = try #require(try await bed.witness.end(of: bed.started()).error)
            #expect(error.code == .notConnectedToInternet && error.networkUnavailableReason == shown)
            #expect(error.failingURL == bed.url && bed.origin.requests.isEmpty)
        }
    }

    @Test func `41, 71 a waiting task reports it once, and continues by itself`() async throws {
        try await withLoads(OriginScript(body), obstacle: .cellular, waiting) { bed in
            let task = bed.started()
            try await eventually("the task waits") { bed.witness[task].reasons == [.cellular] }
            bed.conditions.set(.network)
            try await eventually("it waits for another") { task.waitingReason == .connectivity }
            #expect(bed.origin.requests.isEmpty)
            bed.conditions.set(nil)
            let story = try await bed.witness.end(of: task)
            #expect(story.error == nil && story.data.elementsEqual(body.bytes))
            #expect(story.calls == ["waits for connectivity", "response"])
            #expect(story.reasons == [.cellular, .connectivity, nil])
        }
    }

    @Test func `41, 71 a task of a background session waits without a call`() async throws {
        let configuration = FerryURLSession.URLSessionConfiguration.background(withIdentifier: "loads")
        try await withLoads(OriginScript(body), obstacle: .network, configuration) { bed in
            let task = bed.started()
            try await eventually("the task waits") { task.waitingReason == .connectivity }
            bed.conditions.set(nil)
            let story = try await bed.witness.end(of: task)
            #expect(story.error == nil && story.calls == ["response"])
        }
    }

    @Test func `71 a waiting task can be canceled`() async throws {
        try await withLoads(OriginScript(body), obstacle: .network, waiting) { bed in
            let task = bed.started()
            try await eventually("the task waits") { task.waitingReason == .connectivity }
            task.cancel()
            #expect(try await bed.witness.end(of: task).error?.code == .cancelled)
        }
    }

    @Test func `71 a running task ends when its network is not allowed any more`() async throws {
        try await withLoads(OriginScript(body, .on(.always, .hold("never", at: .body(1000))))) { bed in
            let task = bed.started()
            try await eventually("data come") { !bed.witness[task].data.isEmpty }
            bed.conditions.set(.expensive)
            let story = try await bed.witness.end(of: task)
            #expect(story.error?.networkUnavailableReason == .expensive)
        }
    }

    @Test func `71 a running task that waits stops and goes on`() async throws {
        let script = OriginScript(body, .on(.always, .hold("half", at: .body(1000))))
        try await withLoads(script, waiting) { bed in
            let task = bed.started()
            try await eventually("data come") { bed.witness[task].data.count == 1000 }
            bed.conditions.set(.expensive)
            try await eventually("the task waits") { task.waitingReason == .expensive }
            bed.origin.release("half")
            bed.conditions.set(nil)
            let story = try await bed.witness.end(of: task)
            #expect(story.error == nil && story.data.elementsEqual(body.bytes))
        }
    }

    @Test func `71 the stricter of the request and the session decides`() async throws {
        let configuration = waiting
        configuration.allowsExpensiveNetworkAccess = false
        try await withLoads(OriginScript(body), configuration) { bed in
            _ = try await bed.witness.end(of: bed.started { $0.allowsCellularAccess = false })
            #expect(bed.conditions.policies == [NetworkPolicy(allowsCellular: false, allowsExpensive: false)])
        }
    }
}
