import FerryCore
import FerryTesting
import SeedKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A download over several connections with deaths in its middle` {
    private static let mebibyte: Int64 = 1 << 20

    @Test func `D3 survives kills of the daemon at random bytes`() async throws {
        let body = SeededBody(seed: 441, size: 96 * Self.mebibyte)
        let connections: Int64 = 8
        let rate = 1 * Self.mebibyte
        let script = OriginScript(body, always: .throttle(bytesPerSecond: Int(rate)))
        try await withDaemon(script) { ferry, origin in
            var random = SplitMix(seed: 2027)
            try await ferry.startDaemon()
            let id = try await ferry.add(origin.url(), "-x", "\(connections)")
            // Lower and upper bound of the durable bytes after each kill.
            var durable: [(atLeast: Int64, atMost: Int64)] = []
            for kill in 1...10 {
                let before = origin.bytesSent
                // Up to about two seconds of bytes, so that some kills fall between two checkpoints.
                await origin.waitForBytesSent(before + Int64.random(in: 1..<rate * connections * 2, using: &random))
                try await ferry.killDaemon()
                await origin.waitForIdle()
                if kill == 10 { origin.script = OriginScript(body) }
                let sent = origin.bytesSent
                try await ferry.startDaemon()
                let received = try await ferry.info(id).bytes_received
                // The transfer continues at once, so this includes bytes received since the restart.
                durable.append((received - (origin.bytesSent - sent), received))
            }
            try await ferry.expectWhole(body, after: ferry.run(["wait", id]))
            #expect(try await ferry.durableEvents(id) == [.submitted, .succeeded])
            let lost = zip(durable, durable.dropFirst()).filter { $0.atLeast > $1.atMost }
            #expect(lost.isEmpty, "durable bytes were lost")
            #expect(durable.dropLast().contains { $0.atLeast > 0 }, "no checkpoint survived a kill")
            #expect(origin.facts.mostActiveResponses > 4)
            // At most two seconds of bytes per kill, and the contents of the socket buffers.
            #expect(origin.bytesSent <= body.size + 10 * (2 * rate * connections) + connections * 11 * Self.mebibyte)
        }
    }

    @Test func `D3 after SIGTERM only missing bytes are requested`() async throws {
        let body = SeededBody(seed: 442, size: 16 * Self.mebibyte)
        let script = OriginScript(body, always: .holdEach("go", at: .body(Self.mebibyte / 2)))
        try await withDaemon(script) { ferry, origin in
            let id = try await ferry.add(origin.url(), "--connections", "4", "--checksum", "sha256:\(body.sha256Hex)")
            await origin.wait { $0.held.count == 4 }
            try await eventually("all sent bytes arrived") {
                try await ferry.info(id).bytes_received == 2 * Self.mebibyte
            }
            // SIGTERM makes all received bytes durable.
            try await ferry.terminateDaemon()
            let before = origin.requests.count
            origin.script = OriginScript(body)
            try await ferry.startDaemon()
            try await ferry.expectWhole(body, after: ferry.run(["wait", id]))
            #expect(origin.requests[before...].allSatisfy { $0.value("Range") != nil })
        }
    }

    @Test func `D1 a digest is right although the daemon dies before the file is whole`() async throws {
        let body = SeededBody(seed: 443, size: 24 * Self.mebibyte)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: Int(2 * Self.mebibyte)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn([
                "get", origin.url(), "-x", "4", "--checksum", "sha256:\(body.sha256Hex)",
            ])
            for bytes in [8 * Self.mebibyte, 16 * Self.mebibyte] {
                await origin.waitForBytesSent(bytes)
                try await ferry.killDaemon()
            }
            try await ferry.expectWhole(body, after: get.result())
        }
    }
}
