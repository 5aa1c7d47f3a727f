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
            let asking = try await ferry.requests().count
            let before = try await ferry.requests().count
            let result = try await ferry.run(command + [origin.url()])
            #expect(result.status == 0, "\(result)")
            let all = try await ferry.requests()
            #expect(all.dropFirst(before).dropLast(before - asking) == requests[...])
        }
    }
}

extension DaemonFixture {
    /// Returns method and path of each request, with those of one more command: lines are written in their order, soon
    /// after their requests.
    fileprivate func requests() async throws -> [String] {
        func count() -> Int { logged.count { $0 == "GET /v1/status" } }
        let before = count()
        #expect(try await run(["daemon", "status"]).status == 0)
        try await eventually("the log has the last request") { count() > before }
        return logged
    }

    /// Method and path of each logged request.
    private var logged: [String] {
        log.split(separator: "\n").compactMap { line in
            guard let end = line.range(of: " → "), let path = line.range(of: " /v1/") else { return nil }
            let method = line[..<path.lowerBound].split(separator: " ").last ?? ""
            return "\(method) \(line[path.lowerBound..<end.lowerBound].dropFirst())"
        }
    }
}
