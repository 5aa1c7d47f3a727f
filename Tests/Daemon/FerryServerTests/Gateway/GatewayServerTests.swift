import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import NIOCore
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `The gateway over HTTP` {
    @Test func `answers aria2's clients that show the secret, and others with Unauthorized`() async throws {
        try await withGateway { bed in
            let version = try await bed.call("aria2.getVersion")
            #expect(version.status == 200 && version.text.contains(#""version":"1.37.0""#))
            #expect(version.headers["content-type"] == "application/json-rpc")
            let wrong = try await bed.call("aria2.getVersion", secret: "x")
            #expect(wrong.status == 400)
            #expect(wrong.text == #"{"error":{"code":1,"message":"Unauthorized"},"id":1,"jsonrpc":"2.0"}"#)
            let trusted = try await bed.send(
                "POST", "/jsonrpc", ["Authorization": "Bearer \(bed.secret)"],
                #"{"id":"a","method":"aria2.getSessionInfo"}"#)
            #expect(trusted.status == 200)
            let names = try await bed.send("GET", "/jsonrpc?method=system.listNotifications&id=q")
            #expect(names.status == 200 && names.text.contains("onDownloadStart"))
            #expect(try await bed.send("POST", "/jsonrpc", [:], "{").status == 500)
        }
    }

    @Test func `serves a part of the control API to who shows the secret`() async throws {
        try await withGateway { bed in
            #expect(try await bed.send("GET", "/v1/transfers").status == 401)
            #expect(try await bed.send("GET", "/v1/transfers", ["Authorization": "Bearer x"]).status == 401)
            #expect(try await bed.send("GET", "/v1/transfers", bed.bearer).status == 200)
            #expect(try await bed.send("GET", "/v1/version", bed.bearer).status == 200)
            let good = #"{"url":"http://a.example/f","folder":"/srv/media/x"}"#
            #expect(try await bed.send("POST", "/v1/transfers", bed.bearer, good).status == 201)
            let bad = try await bed.send(
                "POST", "/v1/transfers", bed.bearer, #"{"url":"http://a.example/f","folder":"/etc"}"#)
            #expect(try bad.status == 400 && bad.error().message.contains("/srv/media"))
            for (method, path) in [
                ("POST", "/v1/stop"), ("GET", "/v1/gateway"), ("POST", "/v1/gateway/secret"), ("POST", "/v1/quit"),
                ("POST", "/v1/sessions/a/attach"), ("POST", "/v1/submissions"), ("PATCH", "/v1/applications/a"),
            ] {
                #expect(try await bed.send(method, path, bed.bearer).status == 404, "\(method) \(path)")
            }
            #expect(try await bed.send("PATCH", "/v1/settings", bed.bearer, #"{"slow":true}"#).status == 200)
            #expect(try await bed.send("PATCH", "/v1/settings", bed.bearer, #"{"reserve":0}"#).status == 400)
        }
    }

    @Test(arguments: ["GARBAGE\r\n\r\n", "\u{16}\u{3}\u{1}\0", "GET / HTTP/9.9\r\n\r\n", "GET /\u{1} HTTP/1.1\r\n\r\n"])
    func `answers a malformed first request at once, and frees its slot`(request: String) async throws {
        var limits = GatewayLimits()
        limits.request.head = .minutes(10)
        try await withGateway(FakeService(), limits) { bed in
            // More than there are slots.
            for _ in 0...limits.connections.most {
                let answer = try await bed.exchange(Data(request.utf8))
                #expect(answer.status == 400 && answer.headers["x-content-type-options"] == "nosniff")
                #expect(try answer.error().code == .invalidRequest)
            }
        }
    }

    @Test func `tells an XML-RPC client that there is none, and a WebSocket what is wrong with its key`() async throws {
        try await withGateway { bed in
            let fault = try await bed.send("POST", "/rpc", ["Content-Type": "text/xml"], "<methodCall/>")
            #expect(fault.status == 200 && fault.text.contains("no XML-RPC interface; use JSON-RPC at /jsonrpc"))
            for (key, words) in [("", "Sec-WebSocket-Key"), ("AAAA", "16 bytes")] {
                let answer = try await bed.send(
                    "GET", "/jsonrpc",
                    [
                        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                        "Sec-WebSocket-Key": key,
                    ])
                #expect(try answer.status == 400 && answer.error().message.contains(words))
            }
        }
    }

    @Test func `is on once the change returns, with its addresses`() async throws {
        try await withGateway { bed in
            var change = GatewayChange()
            change.isOn = false
            let off = try await bed.gateway.change(change)
            #expect(off.listening.isEmpty)
            change.isOn = true
            let on = try await bed.gateway.change(change)
            #expect(on.listening == ["http://127.0.0.1:\(bed.port)"])
        }
    }

    @Test func `gives the secret once for a code of the page`() async throws {
        try await withGateway { bed in
            let code = try await bed.gateway.pageCode().code
            let fields = ["Content-Type": "application/json"]
            func open(_ code: String) async throws -> RawResponse {
                try await bed.send("POST", "/v1/page", fields, #"{"code":"\#(code)"}"#)
            }
            #expect(try await open("00000000").status == 403)
            let opened = try await open(code)
            #expect(try opened.value(OpenPage.Response.self).secret == bed.secret)
            #expect(opened.headers["cache-control"] == "no-store")
            #expect(try await open(code).status == 403)
            // A code of the page pairs no client, and the other way round.
            let other = try await bed.gateway.pageCode().code
            let pairing = try await bed.gateway.pair().code
            #expect(
                try await bed.send("POST", "/v1/pair", fields, #"{"code":"\#(other)","name":"a"}"#).status == 403)
            #expect(try await open(pairing).status == 403)
        }
    }

    @Test func `judges Host and Origin before anything else`() async throws {
        try await withGateway(change: { $0.addedOrigins = ["https://a.example"] }) { bed in
            let body = #"{"id":1,"method":"system.listMethods"}"#
            #expect(try await bed.send("POST", "/jsonrpc", [:], body, host: "evil.example").status == 403)
            let evil = try await bed.send("POST", "/jsonrpc", ["Origin": "https://evil.example"], body)
            #expect(evil.status == 403 && evil.headers["access-control-allow-origin"] == nil)
            let preflight = try await bed.send("OPTIONS", "/jsonrpc", ["Origin": "https://evil.example"])
            #expect(preflight.status == 403 && preflight.headers["access-control-allow-origin"] == nil)
            let good = try await bed.send("POST", "/jsonrpc", ["Origin": "https://a.example"], body)
            #expect(good.status == 200 && good.headers["access-control-allow-origin"] == "https://a.example")
            let asked = try await bed.send("OPTIONS", "/jsonrpc", ["Origin": "https://a.example"])
            #expect(asked.status == 200 && asked.headers["access-control-allow-methods"]?.contains("POST") == true)
            let script = "/jsonrpc?method=system.listMethods&jsoncallback=f"
            #expect(try await bed.send("GET", script).status == 403)
            #expect(try await bed.send("GET", script, ["Sec-Fetch-Site": "cross-site"]).status == 403)
            let allowed = try await bed.send("GET", script, ["Origin": "https://a.example"])
            #expect(allowed.status == 200 && allowed.text.hasPrefix("f("))
            // An allowed page can read an error too.
            let unauthorized = try await bed.send("GET", "/v1/transfers", ["Origin": "https://a.example"])
            #expect(unauthorized.status == 401)
            #expect(unauthorized.headers["access-control-allow-origin"] == "https://a.example")
        }
    }

    @Test func `pairs a client, whose token is good until it is removed`() async throws {
        try await withGateway { bed in
            let code = try await bed.gateway.pair().code
            let fields = ["Content-Type": "application/json"]
            let wrong = try await bed.send("POST", "/v1/pair", fields, #"{"code":"00000000","name":"phone"}"#)
            #expect(wrong.status == 403)
            let answer = try await bed.send("POST", "/v1/pair", fields, #"{"code":"\#(code)","name":"phone"}"#)
            let paired = try answer.value(PairClient.Response.self)
            let token = ["Authorization": "Bearer \(paired.token)"]
            #expect(try await bed.send("GET", "/v1/version", token).status == 200)
            #expect(try await bed.call("aria2.getVersion", secret: paired.token).status == 200)
            try await bed.gateway.removeClient(paired.id)
            #expect(try await bed.send("GET", "/v1/version", token).status == 401)
            #expect(try await bed.send("POST", "/v1/pair", fields, #"{"code":"\#(code)","name":"x"}"#).status == 403)
        }
    }

    @Test func `bounds bodies, times and connections`() async throws {
        var limits = GatewayLimits()
        limits.request.head = .milliseconds(50)
        limits.request.body = .milliseconds(50)
        try await withGateway(FakeService(), limits) { bed in
            let large = try await bed.send("POST", "/jsonrpc", [:], String(repeating: " ", count: (2 << 20) + 1))
            #expect(large.status == 413)
            let slow = try await bed.exchange(
                Data("POST /jsonrpc HTTP/1.1\r\nHost: localhost:\(bed.port)\r\nContent-Length: 5\r\n\r\n{".utf8))
            #expect(slow.status == 408)
            // The gateway disconnects a client that sends no head.
            let rest = try await offPool {
                let connection = try Connection(port: bed.port)
                defer { connection.end() }
                connection.write(Data("GET /json".utf8))
                return connection.readAll()
            }
            #expect(rest.isEmpty)
        }
    }

    /// Neither slow heads, nor slow bodies, nor idle connections keep others out.
    @Test(arguments: [
        "", "GET /json", "POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{", "idle",
    ])
    func `closes the connection that waits longest when all slots are taken`(start: String) async throws {
        let limits = GatewayLimits()
        try await withGateway(FakeService(), limits) { bed in
            let isAnswered = try await offPool { [port = bed.port, most = limits.connections.most] in
                let slow = try (0..<most).map { _ in try Connection(port: port) }
                defer { for connection in slow { connection.end() } }
                for connection in slow {
                    guard start == "idle" else {
                        connection.write(Data(start.utf8))
                        continue
                    }
                    connection.write(Data("GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                    guard try connection.readAnswer().status == 200 else { return false }
                }
                let other = try Connection(port: port)
                defer { other.end() }
                other.write(Data("GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                return try other.readAnswer().status == 200
            }
            #expect(isAnswered)
            let version = try await bed.send("GET", "/v1/version", bed.bearer)
            #expect(version.status == 200)
        }
    }

    @Test func `is closed once it is off, and follows its settings`() async throws {
        try await withGateway { bed in
            var change = GatewayChange()
            change.addedNames = ["nas"]
            _ = try await bed.gateway.change(change)
            #expect(try await bed.send("GET", "/v1/version", bed.bearer, host: "nas:\(bed.port)").status == 200)
            change = GatewayChange()
            change.isOn = false
            _ = try await bed.gateway.change(change)
            // The listener closes asynchronously. Until then it may still respond.
            while (try? await bed.send("GET", "/v1/version", bed.bearer)) != nil {}
            change.isOn = true
            _ = try await bed.gateway.change(change)
            while (try? await bed.send("GET", "/v1/version", bed.bearer))?.status != 200 {}
        }
    }

    @Test func `survives what no client sends`() async throws {
        try await withGateway { bed in
            var mutations = Mutations(seed: 3300)
            let samples = [
                "POST /jsonrpc HTTP/1.1\r\nHost: localhost:\(bed.port)\r\nContent-Length: 60\r\n\r\n"
                    + #"{"jsonrpc":"2.0","id":1,"method":"aria2.tellActive","params":["token:x",["gid"]]}"#,
                "GET /jsonrpc?method=aria2.tellStatus&id=1&params=WyJ0b2tlbjp4Il0=&jsoncallback=f HTTP/1.1\r\n"
                    + "Host: localhost:\(bed.port)\r\nOrigin: http://localhost:\(bed.port)\r\n\r\n",
                "GET /jsonrpc HTTP/1.1\r\nHost: localhost:\(bed.port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                "PATCH /v1/transfers/0000000000000001 HTTP/1.1\r\nHost: localhost:\(bed.port)\r\n"
                    + "Authorization: Bearer \(bed.secret)\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n"
                    + #"{"folder":"/etc/"}"#,
            ]
            try await mutations.rounds(400) { mutations, round in
                let bytes = Data(mutations.mutate(Array(samples[round % samples.count].utf8)))
                try await offPool { [port = bed.port] in
                    let connection = try Connection(port: port)
                    defer { connection.end() }
                    connection.write(bytes)
                    // Some are complete requests and get a response.
                    connection.finishWriting()
                    _ = connection.readAll()
                }
            }
            #expect(try await bed.call("aria2.getVersion").status == 200)
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct `The gateway over WebSockets` {
    private static func call(_ bed: GatewayBed, _ method: String, secret: String? = nil) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":["token:\#(secret ?? bed.secret)"]}"#
    }

    @Test func `answers one call after another`() async throws {
        try await withGateway { bed in
            let texts = try await offPool {
                let socket = try RawSocket.open(bed.port)
                defer { socket.connection.end() }
                for method in ["aria2.getVersion", "aria2.getGlobalStat", "system.none"] {
                    socket.text(Self.call(bed, method))
                }
                socket.connection.write(RawSocket.frame(9, Array("p".utf8)))
                socket.text("{")
                return (0..<5).map { _ in
                    socket.next().map { (opcode, payload) in
                        "\(opcode) " + String(decoding: payload, as: UTF8.self)
                    } ?? ""
                }
            }
            #expect(texts[0].contains(#""version":"1.37.0""#) && texts[1].contains("numActive"))
            #expect(texts[2].contains("No such method") && texts[3] == "10 p" && texts[4].contains("-32700"))
        }
    }

    static let ends: [(frames: [Data], code: Int)] = [
        ([RawSocket.frame(2, [1])], 1003), ([RawSocket.frame(1, [0xFF])], 1007), ([RawSocket.frame(0, [1])], 1002),
        ([Data([0x81, 0x01, 0x61])], 1002), ([RawSocket.frame(8, [3, 0xE8])], 1000), ([RawSocket.frame(3, [])], 1002),
        ([RawSocket.frame(1, [0x61], fin: false), RawSocket.frame(1, [0x61])], 1002),
        ([Data([0x81, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])], 1009), ([RawSocket.frame(9, [], fin: false)], 1002),
    ]

    @Test func `closes with RFC 6455's codes`() async throws {
        try await withGateway { bed in
            for (frames, code) in Self.ends {
                let found = try await offPool {
                    let socket = try RawSocket.open(bed.port)
                    defer { socket.connection.end() }
                    for frame in frames { socket.connection.write(frame) }
                    return socket.closeCode()
                }
                #expect(found == code, "\(frames.map { Array($0) })")
            }
        }
    }

    @Test func `judges the handshake, and serves no more than it may`() async throws {
        var limits = GatewayLimits()
        limits.webSockets = ConnectionLimit(most: 2)
        try await withGateway(FakeService(), limits) { bed in
            for fields in [["Origin": "https://evil.example"], ["Origin": "null"], ["Host": "evil.example"]] {
                await #expect(throws: (any Error).self) {
                    try await offPool { [port = bed.port] in try RawSocket.open(port, fields).connection.end() }
                }
            }
            let own = ["Origin": "http://localhost:\(bed.port)"]
            let first = try await offPool { try RawSocket.open(bed.port, own) }
            let second = try await offPool { try RawSocket.open(bed.port) }
            await #expect(throws: (any Error).self) { try await offPool { try RawSocket.open(bed.port) } }
            first.connection.end()
            // Its place is free once the gateway notices the disconnect.
            while (try? await offPool { try RawSocket.open(bed.port).connection.end() }) == nil {}
            second.connection.end()
            let version = try await bed.send(
                "GET", "/jsonrpc",
                [
                    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "8",
                    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                ])
            #expect(version.status == 426, "\(version.text)")
            #expect(version.headers["sec-websocket-version"] == "13")
        }
    }

    @Test func `disconnects a client that does not read`() async throws {
        var limits = GatewayLimits()
        limits.patience = .milliseconds(100)
        try await withGateway(FakeService(), limits) { bed in
            let calls = Data(
                (0..<4000).map { _ in RawSocket.frame(1, Array(Self.call(bed, "system.listMethods").utf8)) }.joined())
            let silent = try await offPool {
                let socket = try RawSocket.open(bed.port)
                socket.connection.write(calls)
                return socket
            }
            // Undelivered output is dropped with its connection.
            while bed.limits.outbound.total > 0 { await Task.yield() }
            silent.connection.end()
            #expect(try await bed.call("aria2.getVersion").status == 200)
        }
    }

    @Test func `says goodbye at the end of the daemon`() async throws {
        let code = LockedCode()
        try await withGateway { bed in
            let socket = try await offPool { try RawSocket.open(bed.port) }
            code.task = Task {
                try await offPool {
                    defer { socket.connection.end() }
                    return socket.closeCode()
                }
            }
        }
        #expect(try await code.task?.value == 1001)
    }
}

/// Holds a task, so that a closure can set it.
private final class LockedCode {
    var task: Task<Int?, any Error>?
}
