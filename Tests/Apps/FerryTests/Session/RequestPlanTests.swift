@testable import Ferry
import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Requests of a manager's downloads` {
    /// A regression: each download opened as many connections as were useful, so three tasks opened 24 connections to
    /// one server.
    @Test(arguments: [(1, 1), (4, 4), (nil, nil), (0, 1), (1000, 64)] as [(Int?, Int?)])
    func `O6 a download has one connection unless the configuration says otherwise`(given: Int?, sent: Int?) throws {
        let place = try #require(SessionPlace(inProcess: "plans"))
        let cache = Cache("plans", downloadPath: NSTemporaryDirectory() + "ferry-plans")
        var configuration = SessionConfiguration()
        let request = URLRequest(url: try #require(URL(string: "http://example.org/a")))
        func connections() -> Int? {
            ManagerMapping(configuration, place: place).download(request, in: cache).transport.connections
        }
        #expect(connections() == 1)
        configuration.connectionsPerTask = given
        #expect(connections() == sent)
    }

    @Test func `O6 a spec has connections, mirrors and a limit of its own`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            var spec = try DownloadSpec("http://example.org/a")
            func request() throws -> TransferRequest {
                try spec.plan(for: manager.shared, manager.shared.mapping, manager.hooks, cache: manager.cache).plan
                    .template.request
            }
            #expect(
                try request().transport.connections == 1 && request().mirrors.isEmpty
                    && request().transport.rateLimit == 0)
            spec.connections = 3
            spec.mirrors = [try #require(URL(string: "http://example.net/a"))]
            spec.maxBytesPerSecond = 100_000
            #expect(try request().transport.connections == 3 && request().transport.rateLimit == 100_000)
            #expect(try request().mirrors == ["http://example.net/a"])
            spec.connections = -5
            #expect(try request().transport.connections == 1)
        }
    }

    @Test func `O6 a spec has conditions of its own`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            var spec = try DownloadSpec("http://example.org/a")
            func request() throws -> TransferRequest {
                try spec.plan(for: manager.shared, manager.shared.mapping, manager.hooks, cache: manager.cache).plan
                    .template.request
            }
            #expect(try request().transport.network == NetworkPolicy() && request().timing.notBefore == nil)
            let date = Date(timeIntervalSinceNow: 3600)
            spec.notBefore = date
            spec.conditions.isDiscretionary = true
            #expect(spec.conditions.notBefore == date)
            #expect(try request().transport.network == NetworkPolicy(isDiscretionary: true))
            #expect(try request().timing.notBefore == date)
        }
    }

    @Test func `a download that runs on external power alone waits beside one that continues`()
        async throws
    {
        try await withFerry { fixture in
            try fixture.setConditions(#"{"includesLoopback": true, "externalPower": false}"#)
            let manager = fixture.manager()
            var frugal = try DownloadSpec(fixture.origin.url("/frugal"))
            frugal.conditions.isDiscretionary = true
            let waiting = try await manager.enqueue(frugal)
            let other = try await manager.enqueue(try DownloadSpec(fixture.origin.url("/other")))
            try await other.reaches(.succeeded)
            try await waiting.waits { $0 == .networkPolicy }
            #expect(fixture.origin.requests.map(\.path) == ["/other"])
        }
    }
}
