@testable import Ferry
import FerryCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Requests of a manager's downloads` {
    /// A download opened as many connections as brought something, so that three tasks were 24 connections to one server.
    @Test(arguments: [(1, 1), (4, 4), (nil, nil), (0, 1), (1000, 64)] as [(Int?, Int?)])
    func `O6 a download has one connection unless the configuration says otherwise`(given: Int?, sent: Int?) throws {
        let place = try #require(SessionPlace(inProcess: "plans"))
        let cache = Cache("plans", downloadPath: NSTemporaryDirectory() + "ferry-plans")
        var configuration = SessionConfiguration()
        #expect(RequestPlan.template(configuration, place: place, cache: cache).connections == 1)
        configuration.connectionsPerTask = given
        #expect(RequestPlan.template(configuration, place: place, cache: cache).connections == sent)
    }

    @Test func `O6 a spec has connections, mirrors and a limit of its own`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            var spec = try DownloadSpec("http://example.org/a")
            func request() throws -> TransferRequest {
                try spec.plan(for: manager.shared, manager.configuration, cache: manager.cache).plan.template.request
            }
            #expect(try request().connections == 1 && request().mirrors.isEmpty && request().rateLimit == 0)
            spec.connections = 3
            spec.mirrors = [try #require(URL(string: "http://example.net/a"))]
            spec.maxBytesPerSecond = 100_000
            #expect(try request().connections == 3 && request().rateLimit == 100_000)
            #expect(try request().mirrors == ["http://example.net/a"])
            spec.connections = -5
            #expect(try request().connections == 1)
        }
    }
}
