import FerryCore
import FerryTesting
import SeedKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `Downloads that are paused and resumed again and again` {
    private static let mebibyte: Int64 = 1 << 20

    @Test func `go on with all their connections, in the same daemon, and are whole`() async throws {
        let body = SeededBody(seed: 451, size: 64 * Self.mebibyte)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: Int(2 * Self.mebibyte)))
        try await withDaemon(script) { ferry, origin in
            var random = SplitMix(seed: 2028)
            try await ferry.startDaemon()
            let daemons = ferry.daemons
            let ids = [
                try await ferry.add(origin.url(), "-x", "8", "-o", "first"),
                try await ferry.add(origin.url(), "-x", "8", "-o", "second"),
            ]
            for _ in 1...20 {
                // From before the first byte of a new connection to some MiB on all of them.
                let more = Int64.random(in: 1..<2 * Self.mebibyte, using: &random)
                await origin.waitForBytesSent(origin.bytesSent + more)
                for verb in ["pause", "resume"] { #expect(try await ferry.run([verb] + ids).status == 0) }
            }
            origin.script = OriginScript(body)
            for (id, name) in zip(ids, ["first", "second"]) {
                #expect(try await ferry.run(["wait", id]).status == 0)
                #expect(try ferry.sha256(name) == body.sha256Hex)
            }
            #expect(ferry.daemons == daemons)
        }
    }
}
