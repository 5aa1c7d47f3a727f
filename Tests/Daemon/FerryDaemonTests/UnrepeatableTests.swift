import FerryTesting
import Foundation
import Testing

/// Requests of methods that must not be repeated (RFC 9110 §9.2.2), in daemons that are killed.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct `Requests that must not be sent twice` {
    /// A server that reads the request and stays silent.
    private static let silent = OriginScript(always: .hold("answer", at: .head))

    @Test(arguments: [
        ["add", "--data", "amount=100"], ["add", "-X", "POST"], ["add", "-X", "PATCH", "--data", "a"],
    ])
    func `are sent once, if the daemon is killed before the answer`(command: [String]) async throws {
        try await withDaemon(Self.silent) { ferry, origin in
            #expect(try await ferry.run(command + [origin.url()]).status == 0)
            await origin.waitForRequests(1)
            try await ferry.killDaemon()
            let id = try #require(try await ferry.list().first).id
            let waited = try await ferry.run(["wait", id])
            #expect(waited.status == 3, "\(waited)")
            #expect(waited.stderr.contains("must not be sent twice"), "\(waited)")
            #expect(waited.stderr.contains("ferry retry \(id)"), "\(waited)")
            #expect(origin.requests.count == 1)
            // The user permits it, after which the same holds again.
            origin.script = OriginScript()
            #expect(try await ferry.run(["retry", id]).status == 0)
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `are sent once by put, whatever part of the file was sent`() async throws {
        try await withDaemon(Self.silent) { ferry, origin in
            let file = ferry.file("up.bin")
            try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: file))
            let detached = try await ferry.run(["put", "-X", "POST", "--detach", file, origin.url()])
            #expect(detached.status == 0, "\(detached)")
            await origin.waitForRequests(1)
            try await ferry.killDaemon()
            let id = try #require(try await ferry.list().first).id
            #expect(try await ferry.run(["wait", id]).stderr.contains("POST must not be sent twice"))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `of an idempotent method are sent again`() async throws {
        try await withDaemon(Self.silent) { ferry, origin in
            #expect(try await ferry.run(["add", "-X", "PUT", "--data", "a", origin.url()]).status == 0)
            await origin.waitForRequests(1)
            try await ferry.killDaemon()
            origin.script = OriginScript()
            let id = try #require(try await ferry.list().first).id
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(origin.requests.map(\.method) == ["PUT", "PUT"])
        }
    }
}
