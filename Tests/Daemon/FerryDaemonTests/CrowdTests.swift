import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `Many transfers and impatient users` {
    @Test func `a batch survives kills of the daemon, each file there once and whole`() async throws {
        let count = 300
        var script = OriginScript(SeededBody(seed: 111, size: 40_000))
        for number in 1...count {
            script.files["/\(number).bin"] = SeededBody(seed: UInt64(1000 + number), size: Int64(number) * 300)
        }
        let gates = ["/60.bin", "/150.bin", "/290.bin"]
        script.rules = gates.map { .on(.path($0), .hold($0, at: .head)) }
        try await withDaemon(script) { [script] ferry, origin in
            let list = (1...count).map { origin.url("/\($0).bin") }.joined(separator: "\n")
            let get = try ferry.spawn(["get", "-q", "-i", "-"], input: list)
            for gate in gates {
                // The daemon dies while it fetches the files around this one.
                await origin.waitForHold(gate)
                // The previous daemon may have reached this file too. Then the next daemon has not started yet.
                try await eventually("a daemon runs") { !ferry.daemons.isEmpty }
                try await ferry.killDaemon()
                origin.release(gate)
            }
            let result = await get.result()
            #expect(result.status == 0, "\(result)")
            #expect(Set(ferry.contents) == Set((1...count).map { "\($0).bin" }))
            for (path, body) in script.files {
                #expect(try ferry.sha256(String(path.dropFirst())) == body.sha256Hex)
            }
            #expect(try await ferry.list().count { $0.state == "succeeded" } == count)
        }
    }

    @Test func `a stopped client does not hold up the daemon`() async throws {
        let body = SeededBody(seed: 112, size: 8 << 20)
        try await withDaemon(OriginScript(body, always: .hold("start", at: .body(1)))) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            await origin.waitForHold("start")
            try await eventually("get shows it") { !get.stderr.isEmpty }
            get.send(SIGSTOP)
            origin.release("start")
            let id = try #require(try await ferry.list().first?.id)
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(get.isRunning)
            get.send(SIGCONT)
            let result = await get.result()
            #expect(result.status == 0, "\(result)")
            #expect(try ferry.sha256("file.bin") == body.sha256Hex)
        }
    }

    @Test func `a daemon that is stopped while get waits is started again, and get ends well`() async throws {
        let body = SeededBody(seed: 113, size: 2 << 20)
        let script = OriginScript(body, .on(.request(1), .stall(after: 1 << 20)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            await origin.waitForBytesSent(1 << 20)
            try await eventually("get shows it") { !get.stderr.isEmpty }
            #expect(try await ferry.run(["daemon", "stop"]).status == 0)
            let result = await get.result()
            #expect(result.status == 0, "\(result)")
            #expect(try ferry.sha256("file.bin") == body.sha256Hex)
        }
    }

    @Test func `a transfer that another command cancels ends get with 13`() async throws {
        try await withDaemon(OriginScript(always: .stall(after: 1000))) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            try await eventually("get shows it") { !get.stderr.isEmpty }
            #expect(try await ferry.run(["cancel", "--all"]).status == 0)
            let result = await get.result()
            #expect(result.status == 13, "\(result)")
            #expect(ferry.contents.isEmpty)
        }
    }

    @Test func `SIGHUP leaves the transfer running and says so by its status`() async throws {
        let script = OriginScript(always: .hold("middle", at: .body(1000)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            await origin.waitForHold("middle")
            try await eventually("get shows it") { !get.stderr.isEmpty }
            get.send(SIGHUP)
            #expect(await get.result().status == 128 + SIGHUP)
            #expect(try await ferry.list().map(\.state) == ["running"])
        }
    }

    @Test func `the daemon in the foreground ends with the signal of its user`() async throws {
        try await withDaemon { ferry in
            let daemon = try ferry.spawn(["daemon", "run"])
            try await eventually("it answers") { try await ferry.run(["daemon", "status"]).status == 0 }
            #expect(ferry.daemons == [daemon.pid])
            daemon.send(SIGINT)
            #expect(await daemon.result().status == 0)
            #expect(try await ferry.run(["daemon", "status"]).status == 14)
        }
    }
}
