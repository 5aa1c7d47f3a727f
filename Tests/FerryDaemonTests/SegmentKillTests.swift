import FerryCore
import FerryTesting
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
            // What is durable after each kill: at least the first, at most the second.
            var durable: [(atLeast: Int64, atMost: Int64)] = []
            for kill in 1...10 {
                let before = origin.bytesSent
                // Up to a bit more than what two seconds bring: some deaths come between a checkpoint and the next.
                await origin.waitForBytesSent(before + Int64.random(in: 1..<rate * connections * 2, using: &random))
                try await ferry.killDaemon()
                await origin.waitForIdle()
                if kill == 10 { origin.script = OriginScript(body) }
                let sent = origin.bytesSent
                try await ferry.startDaemon()
                let received = try await ferry.info(id).bytes_received
                // The transfer goes on at once, so bytes that came meanwhile count too.
                durable.append((received - (origin.bytesSent - sent), received))
            }
            try await ferry.expectWhole(body, after: ferry.run(["wait", id]))
            #expect(try await ferry.durableEvents(id) == [.submitted, .succeeded])
            let lost = zip(durable, durable.dropFirst()).filter { $0.atLeast > $1.atMost }
            #expect(lost.isEmpty, "durable bytes were lost")
            #expect(durable.dropLast().contains { $0.atLeast > 0 }, "no checkpoint survived a kill")
            #expect(origin.facts.mostActiveResponses > 4)
            // At most two seconds of transfer a kill, and what the sockets held.
            #expect(origin.bytesSent <= body.size + 10 * (2 * rate * connections) + connections * 11 * Self.mebibyte)
        }
    }

    @Test func `D3 after SIGTERM only what is missing is asked for`() async throws {
        let body = SeededBody(seed: 442, size: 16 * Self.mebibyte)
        let script = OriginScript(body, always: .holdEach("go", at: .body(Self.mebibyte / 2)))
        try await withDaemon(script) { ferry, origin in
            let id = try await ferry.add(origin.url(), "--connections", "4", "--checksum", "sha256:\(body.sha256Hex)")
            await origin.wait { $0.held.count == 4 }
            try await eventually("all sent bytes arrived") {
                try await ferry.info(id).bytes_received == 2 * Self.mebibyte
            }
            // SIGTERM makes durable what has arrived.
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
