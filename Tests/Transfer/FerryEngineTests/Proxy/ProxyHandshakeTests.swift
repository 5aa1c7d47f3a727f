import FerryCore
import FerryRules
import NIOCore
import Testing

@testable import FerryEngine

/// Feeds a proxy's replies byte by byte or all at once. Both have the same meaning.
private func run(_ start: some ProxyHandshake, _ bytes: [UInt8], pieces: Int) throws -> (
    steps: [HandshakeStep], rest: Int
) {
    var handshake = start
    var received = ByteBuffer()
    var steps: [HandshakeStep] = []
    var next = bytes[...]
    while !next.isEmpty {
        received.writeBytes(next.prefix(pieces))
        next = next.dropFirst(pieces)
        var step = try handshake.receive(&received)
        while case .send = step {
            steps.append(step)
            step = try handshake.receive(&received)
        }
        if step == .done { steps.append(step) }
    }
    return (steps, received.readableBytes)
}

@Suite struct `A tunnel by CONNECT` {
    private let target = TunnelTarget(host: "h.example", port: 443)

    @Test func `is asked for with the proxy's credentials alone`() {
        var plain = ConnectHandshake(target: target, credentials: nil)
        #expect(String(buffer: plain.begin()) == "CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n\r\n")
        var proven = ConnectHandshake(target: target, credentials: Credentials(user: "u", password: "p"))
        #expect(String(buffer: proven.begin()).contains("\r\nProxy-Authorization: Basic dTpw\r\n\r\n"))
    }

    @Test func `names an address without its zone`() throws {
        #expect(try TunnelTarget(HTTPURL(parsing: "https://[fe80::1%25lo]:8443/").origin).authority == "[fe80::1]:8443")
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 299 \r\nA: b\r\n\r\n", "HTTP/1.1 200\r\n\r\n",
            "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nVia: x\r\n\r\n", "HTTP/1.1 200 OK\n\n",
        ], [1, 7, 1000])
    func `stands after a success`(answer: String, pieces: Int) throws {
        let (steps, rest) = try run(
            ConnectHandshake(target: target, credentials: nil), Array(answer.utf8), pieces: pieces)
        #expect(steps == [.done])
        #expect(rest == 0)
    }

    @Test(arguments: [1, 100, 100_000]) func `is given up after too many informational responses`(pieces: Int) throws {
        func refusal(_ count: Int) throws -> [HandshakeStep] {
            let heads = String(repeating: "HTTP/1.1 103 Early\r\nLink: a\r\n\r\n", count: count)
            let bytes = Array((heads + "HTTP/1.1 200 OK\r\n\r\n").utf8)
            return try run(ConnectHandshake(target: target, credentials: nil), bytes, pieces: pieces).steps
        }
        #expect(try refusal(32) == [.done])
        #expect(throws: ProxyRefusal.malformed("its response has too many informational responses")) { try refusal(33) }
    }

    @Test(
        arguments: [
            ("HTTP/1.1 407 Who\r\n\r\n", .unauthorized), ("HTTP/1.1 403 No\r\n\r\n", .status(403)),
            ("HTTP/1.1 302 Elsewhere\r\nLocation: /\r\n\r\n", .status(302)),
            ("SSH-2.0-OpenSSH\r\n", .malformed("it does not speak HTTP")),
        ] as [(String, ProxyRefusal)])
    func `is refused by any other status`(answer: String, refusal: ProxyRefusal) {
        let handshake = ConnectHandshake(target: target, credentials: nil)
        for pieces in [1, 1000] {
            #expect(throws: refusal) { try run(handshake, Array(answer.utf8), pieces: pieces) }
        }
    }

    @Test func `is refused by a proxy that says 401 to a wrong password`() {
        let answer = Array("HTTP/1.1 401 Unauthorized\r\n\r\n".utf8)
        let plain = ConnectHandshake(target: target, credentials: nil)
        let proven = ConnectHandshake(target: target, credentials: Credentials(user: "u", password: "p"))
        #expect(throws: ProxyRefusal.status(401)) { try run(plain, answer, pieces: 100) }
        #expect(throws: ProxyRefusal.unauthorized) { try run(proven, answer, pieces: 100) }
    }

    @Test(arguments: ["HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 20x\r\n\r\n", "HTTP/1.1 101 X\r\n\r\n", "HTTP/1.1\r\n\r\n"])
    func `is refused by a status that is none`(answer: String) {
        let handshake = ConnectHandshake(target: target, credentials: nil)
        #expect(throws: ProxyRefusal.self) { try run(handshake, Array(answer.utf8), pieces: 1000) }
    }

    @Test func `takes no head without an end`() {
        let endless = Array("HTTP/1.1 200 OK\r\n".utf8) + [UInt8](repeating: 0x61, count: 1 << 17)
        let handshake = ConnectHandshake(target: target, credentials: nil)
        #expect(throws: ProxyRefusal.malformed("its response is too long")) {
            try run(handshake, endless, pieces: 4096)
        }
    }
}

@Suite struct `A tunnel by SOCKS` {
    private let credentials = Credentials(user: "me", password: "geheim")
    private let connected: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]

    private func handshake(_ host: String, _ credentials: Credentials? = nil) -> SOCKSHandshake {
        SOCKSHandshake(address: .init(host: host), port: 443, credentials: credentials)
    }

    @Test(
        arguments: [
            ("h.example", [3, 9] + Array("h.example".utf8)), ("10.1.2.3", [1, 10, 1, 2, 3]),
            ("[2001:db8::1]", [4, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ] as [(String, [UInt8])])
    func `asks for a name or an address`(host: String, address: [UInt8]) throws {
        var plain = handshake(host)
        #expect(plain.begin() == ByteBuffer(bytes: [5, 1, 0]))
        for pieces in [1, 100] {
            let (steps, rest) = try run(handshake(host), [5, 0] + connected, pieces: pieces)
            #expect(steps == [.send(ByteBuffer(bytes: [5, 1, 0] + address + [1, 0xBB])), .done])
            #expect(rest == 0)
        }
    }

    @Test(arguments: [1, 100]) func `proves who the user is where the proxy wants that`(pieces: Int) throws {
        var proven = handshake("h", credentials)
        #expect(proven.begin() == ByteBuffer(bytes: [5, 2, 0, 2]))
        let (steps, _) = try run(proven, [5, 2, 1, 0] + connected, pieces: pieces)
        let proof: [UInt8] = [1, 2] + Array("me".utf8) + [6] + Array("geheim".utf8)
        #expect(steps.first == .send(ByteBuffer(bytes: proof)))
        #expect(steps.count == 3 && steps.last == .done)
    }

    @Test(
        arguments: [[5, 0, 0, 3, 2, 0x61, 0x62, 0, 1], [5, 0, 0, 4] + [UInt8](repeating: 7, count: 18)] as [[UInt8]])
    func `takes every kind of address in the answer`(answer: [UInt8]) throws {
        let (steps, rest) = try run(handshake("h"), [5, 0] + answer, pieces: 1)
        #expect(steps.last == .done)
        #expect(rest == 0)
    }

    @Test(
        arguments: [
            ([5, 0xFF], .unauthorized), ([5, 2, 1, 1], .unauthorized), ([5, 0, 5, 4, 0, 1], .reply(4)),
            ([5, 0, 5, 1], .reply(1)),
            ([4, 0], .malformed("it does not speak SOCKS 5")),
            ([5, 1], .malformed("it requires an authentication that Ferry does not support")),
            ([5, 0, 5, 0, 0, 9, 0, 0], .malformed("its response has an unknown kind of address")),
        ] as [([UInt8], ProxyRefusal)])
    func `is refused for a reason`(answer: [UInt8], refusal: ProxyRefusal) {
        for pieces in [1, 100] {
            #expect(throws: refusal) { try run(handshake("h", credentials), answer, pieces: pieces) }
        }
    }

    /// The length takes one byte on the wire, but a session's client may pass any text.
    @Test func `never sends a password that its length byte cannot count`() {
        let long = Credentials(user: "u", password: String(repeating: "x", count: 256))
        #expect(throws: ProxyRefusal.unauthorized) { try run(handshake("h", long), [5, 2], pieces: 2) }
    }
}
