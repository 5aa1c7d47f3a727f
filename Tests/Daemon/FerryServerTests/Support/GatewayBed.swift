import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Logging
import ServiceLifecycle

@testable import FerryServer

/// A gateway on a free port with a fake service.
struct GatewayBed: Sendable {
    let gateway: Gateway
    let port: Int
    let secret: String
    let limits: GatewayLimits

    /// Sends an HTTP/1.1 request and returns the complete response.
    func send(
        _ method: String, _ target: String, _ fields: [String: String] = [:], _ body: String = "", host: String? = nil
    ) async throws -> RawResponse {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "localhost:\(port)")\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
        return try await exchange(Data((head + "\r\n" + body).utf8))
    }

    func exchange(_ bytes: Data) async throws -> RawResponse {
        try await offPool { [port] in
            let connection = try Connection(port: port)
            defer { connection.end() }
            connection.write(bytes)
            return try connection.readAnswer()
        }
    }

    /// Calls a method and returns the complete response.
    func call(_ method: String, _ parameters: String = "", secret: String? = nil) async throws -> RawResponse {
        let rest = parameters.isEmpty ? "" : ",\(parameters)"
        return try await send(
            "POST", "/jsonrpc", [:],
            #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":["token:\#(secret ?? self.secret)"\#(rest)]}"#)
    }

    var bearer: [String: String] { ["Authorization": "Bearer \(secret)", "Content-Type": "application/json"] }
}

/// Runs `body` with a running gateway.
func withGateway(
    _ service: FakeService = FakeService(), _ limits: GatewayLimits = GatewayLimits(),
    change: (inout GatewayChange) -> Void = { _ in }, _ body: (GatewayBed) async throws -> Void
) async throws {
    try await withFolder { folder in
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let gateway = Gateway(
            folder: folder + "/gateway", usual: GatewaySettings(folders: ["/srv/media"]), logger: logger)
        let server = GatewayServer(
            gateway: gateway, service: service, logger: logger, limits: limits,
            // The delay after wrong secrets has its own test.
            wrongSecrets: WrongSecrets(sleep: { _ in }), retry: .milliseconds(20))
        let group = ServiceGroup(services: [server], logger: logger)
        async let running: Void = group.run()
        do {
            var wanted = GatewayChange()
            wanted.isOn = true
            wanted.addresses = ["127.0.0.1"]
            change(&wanted)
            // Another program may take a port that was free.
            var port = 0
            repeat {
                port = try await LocalPorts.free(1)[0]
                wanted.port = port
                _ = try await gateway.change(wanted)
            } while try await !listens(gateway)
            let secret = try await gateway.secret(isNew: false)
            try await body(GatewayBed(gateway: gateway, port: port, secret: secret, limits: limits))
        } catch {
            await group.triggerGracefulShutdown()
            try await running
            throw error
        }
        await group.triggerGracefulShutdown()
        try await running
    }
}

/// Waits until the gateway listens or reports why not. Returns whether it listens.
private func listens(_ gateway: Gateway) async throws -> Bool {
    while true {
        let status = await gateway.status()
        if !status.listening.isEmpty { return true }
        if !status.problems.isEmpty { return false }
        await Task.yield()
    }
}

/// The client's end of a WebSocket, as bytes.
struct RawSocket: Sendable {
    let connection: Connection

    /// Opens a socket, and keeps the bytes that follow the handshake's response.
    static func open(_ port: Int, _ fields: [String: String] = [:]) throws -> RawSocket {
        let connection = try Connection(port: port)
        var head = "GET /jsonrpc HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        connection.write(Data((head + "\r\n").utf8))
        var answer = Data()
        while answer.range(of: Data("\r\n\r\n".utf8)) == nil {
            let more = connection.read(1)
            guard !more.isEmpty else { break }
            answer += more
        }
        guard answer.starts(with: Data("HTTP/1.1 101".utf8)) else {
            connection.end()
            throw CocoaError(.fileReadNoPermission)
        }
        return RawSocket(connection: connection)
    }

    static func frame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true) -> Data {
        var bytes: [UInt8] = [(fin ? 0x80 : 0) | opcode]
        switch payload.count {
        case 0..<126: bytes.append(0x80 | UInt8(payload.count))
        case 126..<65536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        bytes += [0, 0, 0, 0]
        return Data(bytes + payload)
    }

    func text(_ text: String) { connection.write(Self.frame(1, Array(text.utf8))) }

    /// Returns the server's next frame as opcode and bytes, or `nil` at the end of the connection.
    func next() -> (opcode: UInt8, payload: Data)? {
        guard let head = exactly(2) else { return nil }
        var count = Int(head[1] & 0x7F)
        if count == 126 || count == 127 {
            guard let length = exactly(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let payload = exactly(count) else { return nil }
        return (head[0] & 0x0F, payload)
    }

    /// Returns the code of the next close frame after any other frames, or `nil` if the connection ends without one.
    func closeCode() -> Int? {
        while let (opcode, payload) = next() {
            if opcode == 8 { return payload.prefix(2).reduce(0) { $0 << 8 | Int($1) } }
        }
        return nil
    }

    private func exactly(_ count: Int) -> Data? {
        var bytes = Data()
        while bytes.count < count {
            let more = connection.read(count - bytes.count)
            guard !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }
}
