import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(
    .serialized, .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")), .timeLimit(.minutes(3)))
struct `A daemon that dies while it copies` {
    private static let body = SeededBody(seed: 15, size: 3_000_000)
    private static let steps: [LifecycleStep] = [
        .wholeVerified, .copyMade, .copySynced, .intentCommitted, .attributesSet, .renamed, .folderSynced,
        .outcomeCommitted,
    ]

    /// Submits a transfer with its partial file in memory. Returns its id.
    private func submit(_ ferry: DaemonFixture, _ origin: ScriptedOrigin, _ parts: String) async throws -> TransferID {
        try await ferry.withClient { client in
            var request = TransferRequest(url: origin.url(), folder: ferry.folder)
            request.file.partialFolder = parts
            request.timing.paused = true
            guard case .accepted(let transfer)? = try await client.submit([request]).first else {
                throw TestingError("The request was refused.")
            }
            // The daemon may die before it replies.
            _ = try? await client.act(.resume, on: TransferSelection(ids: [transfer.id]))
            return transfer.id
        }
    }

    @Test(arguments: steps)
    func `F2 D1 leaves the file once and whole, and neither copy nor partial file`(step: LifecycleStep) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let parts = "/dev/shm/ferry-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: parts) }
            try await ferry.startDaemon(["FERRY_KILL_AT": step.rawValue])
            let id = try await submit(ferry, origin, parts)
            try await ferry.waitForNoDaemon()
            try await ferry.startDaemon()
            let result = try await ferry.run(["wait", id.description])
            #expect(result.status == 0, "\(result)")
            #expect(ferry.contents == ["file.bin"])
            #expect(try ferry.sha256("file.bin") == Self.body.sha256Hex)
            // A transfer that had succeeded before the kill is cleaned up after the start.
            try await eventually("the partial file is gone") {
                try FileManager.default.contentsOfDirectory(atPath: parts) == []
            }
            // Before the first intent, the journal may not know any byte.
            #expect(origin.requests.count == 1 || step == .wholeVerified)
        }
    }
}
