import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct `Round trips` {
    private static let body = SeededBody(seed: 52, size: 1024)

    @Test(
        arguments: [
            (["add"], ["POST /v1/transfers/batch"]),
            (["add", "--paused"], ["POST /v1/transfers/batch"]),
            (["get"], ["GET /v1/transfers", "POST /v1/transfers/batch", "GET /v1/events"]),
            (["get", "-q"], ["GET /v1/transfers", "POST /v1/transfers/batch", "GET /v1/events"]),
        ])
    func `are as few as a command can do with`(command: [String], requests: [String]) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            try await ferry.startDaemon(["FERRY_LOG_LEVEL": "debug"])
            let before = ferry.requests.count
            let result = try await ferry.run(command + [origin.url()])
            #expect(result.status == 0, "\(result)")
            #expect(ferry.requests.dropFirst(before) == requests[...])
        }
    }
}

extension DaemonFixture {
    /// Method and path of each logged request. The daemon logs a request before it responds.
    fileprivate var requests: [String] {
        log.split(separator: "\n").compactMap { line in
            guard let end = line.range(of: " → "), let path = line.range(of: " /v1/") else { return nil }
            let method = line[..<path.lowerBound].split(separator: " ").last ?? ""
            return "\(method) \(line[path.lowerBound..<end.lowerBound].dropFirst())"
        }
    }
}
