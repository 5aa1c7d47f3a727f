import FerryAPI
import FerryCore
import Foundation
import Testing

@testable import FerryClient

@Suite(.timeLimit(.minutes(1))) struct `The first call` {
    private static let submission = "POST /v1/transfers/batch HTTP/1.1"
    private static let greeting = "GET /v1/version HTTP/1.1"

    private static func answer(_ body: String, status: String = "200 OK", fields: String = "") -> ScriptedSocket.Step {
        .answer(
            "HTTP/1.1 \(status)\r\nConnection: close\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static let version = answer(#"{"version": "0.1.0", "api": \#(APIVersion.current)}"#)
    private static let refused = answer(
        #"{"error": {"code": "invalid_url", "message": "No."}}"# + "\n", fields: "Ferry-Last-Event: 41\r\n")

    /// Makes calls to a scripted socket and returns the requests that it read.
    private func requests(
        _ steps: ScriptedSocket.Step..., calls: (RemoteTransferService) async throws -> Void
    ) async throws -> [String] {
        let socket = ScriptedSocket(steps)
        defer { socket.stop() }
        let service = RemoteTransferService(
            over: DaemonConnection(socket: socket.path, limit: .seconds(60)), launcher: nil)
        do {
            try await calls(service)
        } catch {
            await service.shutdown()
            throw error
        }
        await service.shutdown()
        return socket.requests
    }

    private func submit(_ service: RemoteTransferService) async throws -> NumberedResults {
        try await service.submitNumbered([TransferRequest(url: "x", folder: "/tmp")])
    }

    @Test func `is one request, whose answer says where the events begin`() async throws {
        let asked = try await requests(Self.refused) { service in
            let report = try await submit(service)
            #expect(report.after == 41 && report.results.count == 1)
        }
        #expect(asked == [Self.submission])
    }

    @Test(
        arguments: [
            ("Server: ferryd/9.9\r\n", "The daemon that runs is version 9.9 and speaks API 7; this is version "),
            ("", "The daemon that runs speaks API 7; this is version "),
        ])
    func `names a daemon that speaks another API`(field: String, sentence: String) async throws {
        let other = Self.answer("not for us", status: "404 Not Found", fields: "\(field)ferry-api: 7\r\n")
        let asked = try await requests(other) { service in
            let error = await #expect(throws: ServiceError.self) { try await submit(service) }
            #expect(error?.code == .daemonUnreachable)
            #expect(error?.message.hasPrefix(sentence) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("ferry daemon stop") == true)
        }
        #expect(asked == [Self.submission])
    }

    @Test func `is made again when the daemon ended without reading it`() async throws {
        let asked = try await requests(.hangUp, Self.version, Self.refused) { service in
            let results = try await submit(service).results
            #expect(results.count == 1)
        }
        #expect(asked == [Self.greeting, Self.submission])
    }

    /// A request that was read may have been carried out. Repeating it would create a second transfer.
    @Test func `is not made again when the daemon ended after it had read it`() async throws {
        let asked = try await requests(.swallow) { service in
            let error = await #expect(throws: ServiceError.self) { try await submit(service) }
            #expect(error?.code == .daemonUnreachable)
        }
        #expect(asked == [Self.submission])
    }

    @Test func `that changes nothing more the second time is made again in any case`() async throws {
        let asked = try await requests(.swallow, Self.version, Self.answer("[]")) { service in
            let sessions = try await service.sessions()
            #expect(sessions.isEmpty)
        }
        #expect(asked == ["GET /v1/sessions HTTP/1.1", Self.greeting, "GET /v1/sessions HTTP/1.1"])
    }
}
