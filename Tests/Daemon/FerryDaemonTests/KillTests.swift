import FerryCore
import FerryTesting
import Glibc
import SeedKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A download with deaths in its middle` {
    private static let mebibyte: Int64 = 1 << 20

    @Test func `D3 survives fifty kills of the daemon at random bytes`() async throws {
        let body = SeededBody(seed: 21, size: 128 * Self.mebibyte)
        let rate = 4 * Self.mebibyte
        let script = OriginScript(body, always: .throttle(bytesPerSecond: Int(rate)))
        try await withDaemon(script) { ferry, origin in
            var random = SplitMix(seed: 2026)
            try await ferry.startDaemon()
            let id = try await ferry.add(origin.url(), "--connections", "1")
            var kills = 0
            var starts: [Int64] = []
            while kills < 50 {
                let before = origin.requests.count
                await origin.waitForRequests(before == 0 ? 1 : kills + 1)
                let request = try #require(origin.requests.last)
                starts.append(Self.start(request))
                // Up to slightly more than one second of bytes, the checkpoint interval.
                await origin.waitForBytesSent(origin.bytesSent + Int64.random(in: 0..<rate * 5 / 4, using: &random))
                try await ferry.killDaemon()
                kills += 1
                if kills == 50 { origin.script = OriginScript(body) }
                try await ferry.startDaemon()
            }
            try await ferry.expectWhole(body, after: ferry.run(["wait", id]))
            #expect(try await ferry.durableEvents(id) == [.submitted, .succeeded])
            #expect(starts == starts.sorted(), "durable bytes were lost")
            #expect(starts.last ?? 0 > 0, "no checkpoint survived a kill")
            #expect(origin.requests.count == kills + 1)
            #expect(origin.bytesSent <= body.size + Int64(kills) * 2 * rate)
        }
    }

    @Test func `D3 fetches at most a checkpoint's worth again when the client's daemon dies twice`() async throws {
        let body = SeededBody(seed: 22, size: 48 * Self.mebibyte)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: Int(8 * Self.mebibyte)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn(["get", "--connections", "1", origin.url()])
            for bytes in [12 * Self.mebibyte, 30 * Self.mebibyte] {
                await origin.waitForBytesSent(bytes)
                try await ferry.killDaemon()
            }
            try await ferry.expectWhole(body, after: get.result())
            #expect(origin.bytesSent <= body.size + 2 * 12 * Self.mebibyte)
            #expect(origin.requests.count == 3)
            #expect(origin.requests.dropFirst().allSatisfy { Self.start($0) > 0 && $0.value("If-Range") != nil })
        }
    }

    @Test func `a client that is killed disturbs nothing`() async throws {
        let body = SeededBody(seed: 23, size: 4 * Self.mebibyte)
        let script = OriginScript(body, always: .hold("middle", at: .body(2 * Self.mebibyte)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            await origin.waitForHold("middle")
            let daemon = ferry.daemons
            get.send(SIGKILL)
            #expect(await get.result().status == 128 + SIGKILL)
            origin.release("middle")
            let id = try #require(try await ferry.list().first?.id)
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(ferry.daemons == daemon)
            #expect(try ferry.sha256("file.bin") == body.sha256Hex)
            #expect(ferry.contents == ["file.bin"])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `D3 SIGTERM makes what arrived durable, and nothing is fetched again`() async throws {
        let body = SeededBody(seed: 24, size: 8 * Self.mebibyte)
        let script = OriginScript(body, .on(.request(1), .stall(after: 5 * Self.mebibyte)))
        try await withDaemon(script) { ferry, origin in
            let id = try await ferry.add(origin.url())
            await origin.waitForBytesSent(5 * Self.mebibyte)
            try await eventually("all sent bytes arrived") {
                try await ferry.info(id).bytes_received == 5 * Self.mebibyte
            }
            try await ferry.terminateDaemon()
            try await ferry.startDaemon()
            try await ferry.expectWhole(body, after: ferry.run(["wait", id]))
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=\(5 * Self.mebibyte)-"])
            #expect(await origin.allBytesSent == body.size)
        }
    }

    private static func start(_ request: RecordedRequest) -> Int64 {
        guard let range = request.value("Range") else { return 0 }
        return Int64(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? -1
    }
}
