import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `A resource that changes while the daemon is dead` {
    private static let size: Int64 = 4 << 20
    private static let old = SeededBody(seed: 31, size: size)
    private static let same = SeededBody(seed: 32, size: size)
    private static let shorter = SeededBody(seed: 33, size: 1 << 20)

    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [OriginMode] = []
        var after: [OriginMode]
        var body: SeededBody
        /// Whether the bytes on disk are still usable.
        var resumes = false
    }

    static let changes = [
        Change(testDescription: "nothing", after: [], body: old, resumes: true),
        Change(testDescription: "another version of the same size", after: [.version(same)], body: same),
        Change(testDescription: "a shorter version", after: [.version(shorter)], body: shorter),
        Change(testDescription: "no ranges any longer", after: [.noRanges], body: old),
        Change(testDescription: "another version and no ranges", after: [.version(same), .noRanges], body: same),
        Change(
            testDescription: "only a weak ETag ever", before: [.etag(#"W/"weak""#)], after: [.etag(#"W/"weak""#)],
            body: old),
        Change(
            testDescription: "another body behind the same weak ETag", before: [.etag(#"W/"weak""#)],
            after: [.silentVersion(same), .etag(#"W/"weak""#)], body: same),
        Change(
            testDescription: "a weak ETag in place of the strong one", after: [.etag(#"W/"now""#)], body: old),
        Change(testDescription: "nothing at all", after: [.empty], body: SeededBody(seed: 34, size: 0)),
    ]

    @Test(arguments: changes)
    func `R10 is fetched whole in its present version`(change: Change) async throws {
        let half = Self.size / 2
        let before = OriginScript(
            Self.old,
            rules: [
                OriginRule(condition: .always, modes: change.before), .on(.request(1), .stall(after: half)),
                .on(.requests(2...), .hold("asked again", at: .head)),
            ])
        try await withDaemon(before) { ferry, origin in
            let id = try await ferry.add(origin.url())
            await origin.waitForBytesSent(half)
            try await eventually("the bytes arrived") { try await ferry.info(id).bytes_received == half }
            // Pausing makes the bytes durable. The daemon dies while it requests the remaining bytes.
            #expect(try await ferry.run(["pause", id]).status == 0)
            #expect(try await ferry.run(["resume", id]).status == 0)
            await origin.waitForHold("asked again")
            try await ferry.killDaemon()
            origin.script = OriginScript(Self.old, rules: [OriginRule(condition: .always, modes: change.after)])
            try await ferry.startDaemon()
            let end = try await ferry.run(["wait", id])
            #expect(end.status == 0, "\(end)")
            #expect(ferry.contents == ["file.bin"])
            #expect(try ferry.sha256("file.bin") == change.body.sha256Hex)
            if change.resumes { #expect(await origin.allBytesSent == Self.size) }
        }
    }
}
