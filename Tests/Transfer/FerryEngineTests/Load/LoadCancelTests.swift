import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

/// A body without end.
struct EndlessPieces: LoadBodySource {
    func next() async throws -> Data? { Data(count: 50_000) }
    func rewound() async throws -> (any LoadBodySource)? { self }
}

/// A body that never arrives, even if its reader is canceled.
private struct SilentSource: LoadBodySource {
    func next() async throws -> Data? {
        await never()
        return nil
    }
    func rewound() async throws -> (any LoadBodySource)? { nil }
}

/// Never returns, even in a canceled task.
private func never() async {
    unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

@Suite(.timeLimit(.minutes(1))) struct `Load and cancel` {
    private let body = SeededBody(seed: 74, size: 2_000_000)

    /// Checks the result of a canceled load, which may have finished before the cancel.
    private func expectCanceled(_ error: ServiceError?) {
        #expect(error == nil || error?.code == .canceled, "\(String(describing: error))")
    }

    @Test func `cancel before the head ends it`() async throws {
        try await withLoads(OriginScript(always: .hold("head", at: .head))) { harness async throws in
            let load = harness.load()
            async let failure = load.failure()
            await harness.origin.waitForRequests(1)
            load.cancel()
            #expect(await failure?.code == .canceled)
            await harness.origin.waitForNoConnections()
        }
    }

    @Test func `cancel before anything has happened sends nothing`() async throws {
        try await withLoads(OriginScript()) { harness async throws in
            let load = harness.load()
            load.cancel()
            #expect(await load.failure()?.code == .canceled)
            #expect(harness.origin.requests.isEmpty)
        }
    }

    @Test func `cancel of the waiting task cancels the load`() async throws {
        try await withLoads(OriginScript(always: .hold("head", at: .head))) { harness async throws in
            let load = harness.load()
            let waiting = Task { await load.failure() }
            await harness.origin.waitForRequests(1)
            waiting.cancel()
            #expect(await waiting.value?.code == .canceled)
        }
    }

    @Test func `cancel ends a reader that waits, and one that comes later`() async throws {
        try await withLoads(OriginScript(body, always: .stall(after: 1000))) { harness async throws in
            let load = harness.load()
            _ = try await load.head()
            async let failure = load.failureOfRest()
            await harness.origin.waitForBytesSent(1000)
            load.cancel()
            load.cancel()
            #expect(await failure?.code == .canceled)
            #expect(await load.failureOfRest()?.code == .canceled)
            await harness.origin.waitForNoConnections()
        }
    }

    @Test func `cancel ends a load that nobody reads`() async throws {
        try await withLoads(OriginScript(SeededBody(seed: 1, size: 64 << 20))) { harness async throws in
            let load = harness.load()
            _ = try await load.head()
            load.cancel()
            #expect(await load.failureOfRest()?.code == .canceled)
            await harness.origin.waitForNoConnections()
        }
    }

    @Test func `a load without a reference closes its connection`() async throws {
        try await withLoads(OriginScript(SeededBody(seed: 1, size: 64 << 20))) { harness async throws in
            _ = try await harness.load().head()
            await harness.origin.waitForNoConnections()
        }
    }

    @Test func `an advisor that never answers holds no cancel up`() async throws {
        let silent = TestAdvisor(
            redirect: { _ in
                await never()
                return .follow
            },
            challenge: { _ in
                await never()
                return .cancel
            },
            trust: { _ in
                await never()
                return .accept
            })
        let rules: [OriginRule] = [
            .on(.path("/old"), .redirect(to: "/new")), .on(.path("/secret"), .basic(user: "u", password: "p")),
        ]
        try await withLoads(OriginScript(rules: rules)) { harness async throws in
            for path in ["/old", "/secret"] {
                let load = harness.load(path, advisor: silent)
                async let failure = load.failure()
                try await eventually("the advisor is asked") {
                    path == "/old"
                        ? !silent.redirects.isEmpty : !silent.challenges.isEmpty
                }
                load.cancel()
                #expect(await failure?.code == .canceled)
            }
        }
        try await withLoads(OriginScript(), tls: .trusted) { harness async throws in
            let load = harness.load(advisor: silent)
            async let failure = load.failure()
            try await eventually("the advisor is asked") { !silent.trusts.isEmpty }
            load.cancel()
            #expect(await failure?.code == .canceled)
            #expect(harness.origin.requests.isEmpty)
            await harness.origin.waitForNoConnections()
        }
    }

    @Test func `a source that never answers holds no cancel up`() async throws {
        try await withLoads(OriginScript()) { harness async throws in
            let load = harness.load(method: "POST", body: .stream(SilentSource(), length: nil))
            async let failure = load.failure()
            await harness.origin.wait { $0.openConnections == 1 }
            load.cancel()
            #expect(await failure?.code == .canceled)
            await harness.origin.waitForNoConnections()
        }
    }

    @Test func `an endless upload can be canceled`() async throws {
        try await withLoads(OriginScript()) { harness async throws in
            let load = harness.load(method: "POST", body: .stream(EndlessPieces(), length: nil))
            async let failure = load.failure()
            try await eventually("bytes leave") { load.exchanges.contains { $0.requestBodyBytes > 0 } }
            load.cancel()
            #expect(await failure?.code == .canceled)
            await harness.origin.waitForNoConnections()
        }
    }

    @Test(arguments: [nil, TLSFault.trusted])
    func `cancel at any moment never hangs`(tls: TLSFault?) async throws {
        let rules: [OriginRule] = [.on(.path("/old"), .redirect(to: "/secret")), .on(.path("/secret"), .chunked)]
        try await withLoads(OriginScript(body, rules: rules), tls: tls) { harness async throws in
            for turn in 0..<120 {
                let load = harness.load(
                    "/old", method: turn % 3 == 0 ? "POST" : "GET",
                    body: turn % 3 == 0 ? .bytes(Data(count: 200_000)) : .none, advisor: TestAdvisor())
                async let failure = load.failure()
                // Each round gives the load a little more time before the cancel.
                for _ in 0..<(turn * 20) { await Task.yield() }
                load.cancel()
                expectCanceled(await failure)
            }
            #expect(await harness.load().failure() == nil)
        }
    }
}
