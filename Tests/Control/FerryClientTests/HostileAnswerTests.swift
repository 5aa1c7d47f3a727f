import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import FerryClient

/// The socket can send anything. A trap in the client would end the app's process.
@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `Hostile answers` {
    private static let transfer =
        #"{"id":"0000019c00000001","session":"cli","url":"http://a/","state":"running","bytes_received":5,"#
        + #""bytes_expected":10,"bytes_per_second":2.5,"folder":"/tmp","created_at":"2026-01-31T12:00:00.000Z","#
        + #""priority":"normal","attempts":1}"#
    private static let event =
        #"{"number":4,"kind":"submitted","at":"2026-01-31T12:00:00.000Z","id":"0000019c00000001","session":"cli"}"#

    private static let batch = #"{"batch":{"kind":"removed","through":9,"ids":["0000000000000007+2"]}}"#
    private static let refusal = #"{"error":{"code":"not_found","message":"No."}}"#

    private static func answer(_ body: String, fields: String = "") -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    private static func chunked(_ lines: [String]) -> [UInt8] {
        let chunks = lines.map { "\(String($0.utf8.count + 1, radix: 16))\r\n\($0)\n\r\n" }.joined()
        return Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nFerry-API: 1\r\n\r\n\(chunks)0\r\n\r\n".utf8)
    }

    private static let answers: [[UInt8]] = [
        answer(
            #"{"version":"0.1.0","pid":1,"started_at":"2026-01-31T12:00:00.000Z","transfers":{},"last_event":1,"#
                + #""warnings":[]}"#),
        answer(#"{"transfers":[\#(transfer)],"next":"0000019c00000001"}"#, fields: "Ferry-Last-Event: 7\r\n"),
        answer(#"{"next":"0000019c00000001","transfers":[\#(transfer)]}"#, fields: "Server: ferryd/1\r\n"),
        chunked([event, #"{"event":\#(event)}"#, batch]),
        Array("HTTP/1.1 404 Not Found\r\nContent-Length: 45\r\n\r\n\(refusal)".utf8),
        Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n".utf8),
    ]

    @Test func `their framing ends in parts, or in an error`() async throws {
        var mutations = Mutations(seed: 41)
        try await mutations.rounds(3000) { mutations, _ in
            let bytes = mutations.mutate(Self.answers.randomElement(using: &mutations) ?? [])
            var framing = ResponseFraming()
            var rest = ByteBuffer(bytes: bytes)
            // Long responses come in long pieces, to allow many rounds.
            let longest = max(64, bytes.count / 16)
            var taken = 0
            var hasHead = false
            do {
                while rest.readableBytes > 0 {
                    let size = min(rest.readableBytes, Int.random(in: 1...longest, using: &mutations))
                    if let piece = rest.readSlice(length: size) { framing.append(piece) }
                    if !hasHead { hasHead = try framing.head() != nil }
                    while let part = try framing.part() { taken += part.readableBytes }
                }
                try framing.close()
            } catch {}
            #expect(taken <= bytes.count)
        }
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 \u{FF}\r\n\r\n", "HTTP/1.1 -200 OK\r\n\r\n", "HTTP/1.1 99999999999999999999 OK\r\n\r\n",
            "HTTP/1.1 1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n",
        ])
    func `a number that is none is no answer, and bytes that are no UTF-8 are as many as they are`(text: String) {
        var framing = ResponseFraming()
        // Encoded as ISO 8859-1: each non-ASCII character is one byte, which is invalid UTF-8.
        framing.append(ByteBuffer(bytes: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
        if text.contains("\u{FF}") {
            #expect(throws: Never.self) { try framing.head() }
        } else {
            #expect(throws: ConnectionFailure.self) { try framing.head() }
        }
    }

    @Test(arguments: ["-1", "+1", "8000000000000000", "fffffffffffffffff", ""])
    func `a size of a chunk that is none is no answer`(size: String) throws {
        var framing = ResponseFraming()
        framing.append(ByteBuffer(string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nx"))
        _ = try framing.head()
        #expect(throws: ConnectionFailure.self) { try framing.part() }
    }

    @Test func `calls and streams end, whatever the daemon sends`() async throws {
        let answers = Mutex(Mutations(seed: 42))
        let socket = ScriptedSocket {
            .bytes(answers.withLock { $0.mutate(Self.answers.randomElement(using: &$0) ?? []) })
        }
        defer { socket.stop() }
        let service = RemoteTransferService(
            over: DaemonConnection(socket: socket.path, limit: .seconds(60)), launcher: nil)
        // Each call receives one of the responses.
        var rounds = Mutations(seed: 42)
        try await rounds.rounds(300) { _, round in
            do throws(ServiceError) {
                switch round % 5 {
                case 0: _ = try await service.status()
                case 1: _ = try await service.transfers(TransferQuery())
                case 2: _ = try await service.submitNumbered([TransferRequest(url: "x", folder: "/tmp")])
                case 3: _ = try await service.allTransfers(of: .cli)
                default: await drain(try await service.events(EventSubscription()))
                }
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
        await service.shutdown()
    }

    private func drain(_ stream: AsyncThrowingStream<TransferEvent, any Error>) async {
        do { for try await _ in stream {} } catch {}
    }

    @Test func `a line without end is given up`() async throws {
        let line = String(repeating: "x", count: 4096)
        let socket = ScriptedSocket([.answer("HTTP/1.1 200 OK\r\n\r\n" + line)])
        defer { socket.stop() }
        let connection = DaemonConnection(socket: socket.path, limit: .seconds(60))
        defer { connection.shutdown() }
        let response = try await connection.open(
            StreamEvents.route, StreamEvents.route.target(), limited: false)
        let reader = LineReader<TransferEvent>(response, longestLine: 1024)
        let error = await #expect(throws: ServiceError.self) { try await reader.value() }
        #expect(error?.message.contains("1024 bytes") == true)
    }

    @Test func `a list whose cursor does not rise is given up`() async throws {
        // The socket closes each connection after its response.
        let page = Self.answer(
            #"{"next":"0000019c00000001","transfers":[]}"#, fields: "Connection: close\r\n")
        let socket = ScriptedSocket { .bytes(page) }
        defer { socket.stop() }
        let service = RemoteTransferService(
            over: DaemonConnection(socket: socket.path, limit: .seconds(60)), launcher: nil)
        let error = await #expect(throws: ServiceError.self) { try await service.allTransfers(of: .cli) }
        #expect(error?.message.contains("never ends") == true)
        await service.shutdown()
    }
}
