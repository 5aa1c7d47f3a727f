@testable import Ferry
import FerryTesting
import Foundation
import Synchronization
import Testing

/// docs/behaviour/session-manager.md#D1
@Suite(.timeLimit(.minutes(2))) struct `A description with a known identifier` {
    private func spec(_ url: String, _ change: (inout DownloadSpec) -> Void = { _ in }) throws -> DownloadSpec {
        var spec = try DownloadSpec(url)
        spec.id = DownloadTask.ID(rawValue: "one")
        change(&spec)
        return spec
    }

    @Test(arguments: [false, true])
    func `replaces an address that has expired, before and after a relaunch`(isRelaunched: Bool) async throws {
        let script = OriginScript(FerryFixture.body, .on(.path("/old"), .status(403)))
        try await withFerry(script) { fixture in
            var manager = fixture.manager()
            let first = try await manager.enqueue(try spec(fixture.origin.url("/old")))
            try await first.reaches(.failed)
            if isRelaunched { manager = await fixture.relaunch() }
            let folder = fixture.daemon.file("elsewhere")
            let task = try await manager.enqueue(
                try spec(fixture.origin.url("/new?signature=2")) {
                    $0.headers = ["X-A": "b"]
                    $0.priority = 5
                    $0.metadata = ["c": "d"]
                    $0.destination = .file(URL(fileURLWithPath: folder + "/named.bin"))
                    $0.checksum = Checksum(.sha256, FerryFixture.body.sha256Hex)
                })
            #expect(manager.tasks == [task] && (isRelaunched || task === first))
            let file = try await task.value
            let priority = task.state.withLock(\.asked.priority)
            #expect(file.path == folder + "/named.bin" && priority == 5)
            #expect(task.metadata == ["c": "d"] && task.validation == .correct)
            let last = try #require(fixture.origin.requests.last)
            #expect(last.path == "/new" && last.value("X-A") == "b")
        }
    }

    @Test func `with the same values changes nothing, in any state`() async throws {
        let script = OriginScript(FerryFixture.body, .on(.path("/slow"), .hold("go", at: .body(100_000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let given = try spec(fixture.origin.url("/slow")) {
                $0.headers = ["X-A": "b"]
                $0.tags = ["t"]
            }
            let task = try await manager.enqueue(given)
            try await task.receives(100_000)
            let again = try await manager.enqueue([given, given])
            #expect(again == [task, task])
            fixture.origin.release("go")
            _ = try await task.value
            let finished = try await manager.enqueue(given)
            #expect(finished === task && task.status == .succeeded)
            #expect(fixture.origin.requests.count == 1)
        }
    }

    @Test func `for a download that has finished is refused if it is another one`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let task = try await manager.enqueue(try spec(fixture.origin.url("/one")))
            _ = try await task.value
            let sentence =
                "The download “one” keeps its URL, since it has finished: remove it first, or use another id."
            let other = try spec(fixture.origin.url("/two"))
            await #expect(throws: FerryError.invalidRequest(message: sentence)) { try await manager.enqueue(other) }
            let elsewhere = try spec(fixture.origin.url("/one")) { $0.destination = .cache(fileName: "x") }
            let checked = try spec(fixture.origin.url("/one")) {
                $0.checksum = Checksum(.md5, String(repeating: "0", count: 32))
            }
            for spec in [elsewhere, checked] {
                await #expect(throws: FerryError.self) { try await manager.enqueue(spec) }
            }
            #expect(fixture.origin.requests.count == 1 && manager.tasks == [task])
        }
    }

    @Test func `stays with hosts of the same server trust policy`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .head))) { fixture in
            let trust = ServerTrustPolicyManager(policies: ["127.0.0.1": .disableEvaluation])
            let manager = fixture.make {
                SessionManager(
                    configuration: .background(withIdentifier: fixture.identifier), serverTrustPolicyManager: trust)
            }
            let task = try await manager.enqueue(try spec(fixture.origin.url()))
            let other = try spec("https://example.invalid/")
            await #expect(throws: FerryError.self) { try await manager.enqueue(other) }
            await #expect(throws: FerryError.self) { try await task.replaceRequest(url: other.url) }
            _ = try await manager.enqueue(try spec(fixture.origin.url("/other")))
        }
    }

    @Test func `cannot change the method or the tags`() async throws {
        try await withFerry(OriginScript(FerryFixture.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            _ = try await manager.enqueue(try spec(fixture.origin.url()))
            let others = [
                try spec(fixture.origin.url()) { $0.method = .post },
                try spec(fixture.origin.url()) { $0.tags = ["t"] },
            ]
            let twins = [try spec(fixture.origin.url("/1")) { $0.id = nil }, try spec(fixture.origin.url("/2"))]
            await #expect(throws: FerryError.self) { try await manager.enqueue(twins + others) }
            #expect(manager.tasks.count == 1)
            for other in others { await #expect(throws: FerryError.self) { try await manager.enqueue(other) } }
        }
    }
}
