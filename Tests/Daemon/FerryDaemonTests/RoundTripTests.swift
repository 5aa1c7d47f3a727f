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
            let debug = ["FERRY_LOG_LEVEL": "debug"]
            // A daemon writes the rest of its log before it ends. Until then the log may lack the last requests.
            try await ferry.startDaemon(debug)
            try await ferry.terminateDaemon()
            let start = ferry.logged
            try await ferry.startDaemon(debug)
            let result = try await ferry.run(command + [origin.url()])
            #expect(result.status == 0, "\(result)")
            try await ferry.terminateDaemon()
            #expect(ferry.logged == start + start + requests)
        }
    }
}

extension DaemonFixture {
    /// Method and path of each logged request.
    fileprivate var logged: [String] {
        log.split(separator: "\n").compactMap { line in
            guard let end = line.range(of: " → "), let path = line.range(of: " /v1/") else { return nil }
            let method = line[..<path.lowerBound].split(separator: " ").last ?? ""
            return "\(method) \(line[path.lowerBound..<end.lowerBound].dropFirst())"
        }
    }
}
