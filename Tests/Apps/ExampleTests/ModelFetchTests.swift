import FerryTesting
import Foundation
import Glibc
import Testing

/// A hub with one link to signed addresses. Each address serves one request, then the hub issues the next.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: ExamplePrograms.folder != nil))
struct `A language model` {
    private static let names = ["config.json", "tokenizer.json"] + (1...6).map { "weights/part-\($0).bin" }
    private let bodies = (0..<8).map { SeededBody(seed: 700 + UInt64($0), size: $0 < 2 ? 2000 : 3 << 20) }

    /// - Parameter manifest: A manifest to serve instead of the right one.
    private func script(manifest: String? = nil, _ rules: OriginRule...) -> OriginScript {
        // Body served at the signed addresses.
        var script = OriginScript(bodies[4], .on(.path("/model/weights/part-3.bin"), .signedRedirect))
        for (name, body) in zip(Self.names, bodies) { script.files["/model/\(name)"] = body }
        let list = zip(Self.names, bodies).map { name, body in
            #"{"path": "\#(name)", "size": \#(body.size), "sha256": "\#(body.sha256Hex)"}"#
        }
        let text = manifest ?? #"{"files": [\#(list.joined(separator: ","))]}"#
        script.rules += [
            .on(.path("/model/manifest.json"), .status(200, body: text)), .on(.path("/signed/*"), .expiring(uses: 1)),
        ]
        script.rules += rules
        return script
    }

    private func check(_ daemon: DaemonFixture) throws {
        for (name, body) in zip(Self.names, bodies) {
            #expect(try FileDigest.sha256(daemon.file("models/\(name)")) == body.sha256Hex)
        }
    }

    private func signedRequests(_ origin: ScriptedOrigin) -> [RecordedRequest] {
        origin.requests.filter { $0.path.hasPrefix("/signed/") }
    }

    @Test func `is whole after a kill in the middle, with nothing fetched twice, and then there for other programs`()
        async throws
    {
        let held = OriginRule.on(.path("/signed/1"), .hold("middle", at: .body(1 << 20)))
        try await withExample(script(held)) { daemon, origin in
            let words = [origin.url("/model/manifest.json"), daemon.file("models")]
            let first = try daemon.lineBuffered("ModelFetch", words)
            try await first.prints("8 files, 0 are there.")
            await origin.waitForHold("middle")
            first.send(SIGKILL)
            _ = await first.result()
            // The first address is used up: another connection needs a new one.
            try await eventually("another connection asks for a part") { signedRequests(origin).count > 1 }
            origin.release("middle")
            let second = try daemon.lineBuffered("ModelFetch", words)
            try await second.prints("The model is complete.")
            #expect(await second.result().status == 0)
            try check(daemon)
            let signed = signedRequests(origin)
            #expect(signed.count { $0.value("Range") == nil } == 1, "\(signed.map(\.path))")
            let third = try daemon.lineBuffered("ModelFetch", words)
            try await third.prints("8 files, 8 are there.")
            #expect(await third.result().status == 0)
        }
    }

    @Test func `is not taken with a wrong digest`() async throws {
        var script = script()
        script.files["/model/config.json"] = SeededBody(seed: 9, size: 2000)
        try await withExample(script) { daemon, origin in
            let app = try daemon.lineBuffered(
                "ModelFetch", [origin.url("/model/manifest.json"), daemon.file("models")])
            let result = await app.result()
            #expect(
                result.status == 1 && result.stdout.contains("The model is not complete: The file has the checksum"))
            #expect(!FileManager.default.fileExists(atPath: daemon.file("models/config.json")))
        }
    }

    @Test func `is not taken with a path that leads out of its folder`() async throws {
        let manifest = #"{"files": [{"path": "../x", "size": 1, "sha256": "00"}]}"#
        try await withExample(script(manifest: manifest)) { daemon, origin in
            let app = try daemon.lineBuffered(
                "ModelFetch", [origin.url("/model/manifest.json"), daemon.file("models")])
            #expect(await app.result().stdout.contains("outside of the model's folder: “../x”"))
        }
    }
}
