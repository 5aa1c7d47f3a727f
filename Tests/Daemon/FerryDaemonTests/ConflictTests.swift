import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct `A name that is taken` {
    private static let body = SeededBody(seed: 61, size: 200_000)

    struct Case: Sendable, CustomTestStringConvertible {
        var policy: String
        var status: Int32 = 0
        /// Whether the old file still exists afterwards.
        var keepsOld = true
        /// Name of the new file.
        var newName: String?
        var requests = 1
        var testDescription: String { policy }
    }

    @Test(arguments: [
        Case(policy: "unique", newName: "file-1.bin"),
        Case(policy: "fail", status: 10, requests: 0),
        Case(policy: "replace", keepsOld: false, newName: "file.bin"),
        Case(policy: "skip", requests: 0),
        Case(policy: "update", keepsOld: false, newName: "file.bin"),
    ])
    func `F6 follows the policy`(policy: Case) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            try Data("old".utf8).write(to: URL(filePath: ferry.file("file.bin")))
            let result = try await ferry.run([
                "get", origin.url(), "-o", "file.bin", "--on-conflict", policy.policy,
            ])
            #expect(result.status == policy.status, "\(result)")
            #expect(Set(ferry.contents) == Set(["file.bin", policy.newName].compactMap(\.self)))
            let old = FileManager.default.contents(atPath: ferry.file("file.bin")) == Data("old".utf8)
            #expect(old == policy.keepsOld)
            if let name = policy.newName { #expect(try ferry.sha256(name) == Self.body.sha256Hex) }
            #expect(origin.requests.count == policy.requests)
        }
    }

    @Test(arguments: ["replace", "update", "fail", "skip", "unique"])
    func `F6 a folder of that name is never replaced`(policy: String) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            try FileManager.default.createDirectory(
                atPath: ferry.file("file.bin/inside"), withIntermediateDirectories: true)
            _ = try await ferry.run(["get", "-q", origin.url(), "--on-conflict", policy])
            #expect(FileManager.default.fileExists(atPath: ferry.file("file.bin/inside")))
            #expect(ferry.contents == (policy == "unique" ? ["file-1.bin", "file.bin"] : ["file.bin"]))
        }
    }

    @Test func `F6 update asks whether a file that Ferry fetched is current`() async throws {
        let changed = SeededBody(seed: 62, size: 150_000)
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let get = ["get", origin.url(), "--on-conflict", "update"]
            #expect(try await ferry.run(get).status == 0)
            let again = try await ferry.run(get)
            #expect(again.status == 0)
            // Whether the start is shown depends on timing.
            #expect(again.stderr.hasSuffix("unchanged: \(ferry.file("file.bin"))\n"), "\(again)")
            #expect(origin.requests.last?.value("If-None-Match") != nil)
            #expect(await origin.allBytesSent == Self.body.size)
            origin.script = OriginScript(changed)
            #expect(try await ferry.run(get).status == 0)
            #expect(try ferry.sha256("file.bin") == changed.sha256Hex)
            #expect(ferry.contents == ["file.bin"])
        }
    }
}
