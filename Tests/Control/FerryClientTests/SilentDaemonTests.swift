import FerryAPI
import FerryCore
import Foundation
import Synchronization
import Testing

@testable import FerryClient

@Suite(.timeLimit(.minutes(1))) struct `A daemon that says nothing` {
    private static func answer(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Makes calls to a scripted socket and returns the notices shown meanwhile.
    private func said(
        _ socket: ScriptedSocket, sleep: @escaping @Sendable (Duration) async throws -> Void,
        calls: (RemoteTransferService) async throws -> Void
    ) async throws -> [String] {
        defer { socket.stop() }
        let told = Mutex<[String]>([])
        var patience = Patience { sentence in told.withLock { $0.append(sentence) } }
        patience.sleep = sleep
        let connection = DaemonConnection(socket: socket.path, limit: .seconds(300), patience: patience)
        let service = RemoteTransferService(over: connection, launcher: nil)
        do {
            try await calls(service)
        } catch {
            await service.shutdown()
            throw error
        }
        await service.shutdown()
        return told.withLock { $0 }
    }

    @Test(arguments: [false, true]) func `is spoken of, then given up`(isStream: Bool) async throws {
        let said = try await said(ScriptedSocket { .hold }, sleep: { _ in }) { service in
            let error = await #expect(throws: ServiceError.self) {
                if isStream {
                    _ = try await service.events(EventSubscription())
                } else {
                    _ = try await service.status()
                }
            }
            #expect(error?.code == .daemonUnreachable)
            #expect(error?.message.contains("has not responded for 10 s") == true)
            #expect(error?.message.contains("kill -9 \(getpid())") == true)
        }
        #expect(said == ["The daemon (process \(getpid())) has not responded yet; waiting."])
    }

    /// Sleeps until canceled.
    private static func untilCanceled() async throws {
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in end {}
        } onCancel: {
            continuation.finish()
        }
        throw CancellationError()
    }

    /// A pause, for example, gets its response once the bytes are durable. A slow disk delays that.
    @Test func `is not one that answers whether it lives, however long the call takes`() async throws {
        let version = ScriptedSocket.Step.answer(Self.answer(#"{"version":"0.1.0","api":1}"#))
        let socket = ScriptedSocket([.hold, version, version, version, .release(Self.answer("[]"))])
        let usual = Patience { _ in }.question
        let said = try await said(
            socket,
            sleep: { duration in
                // The sleeps before a notice and before the limit never end here. The sleeps between checks return at
                // once.
                if duration != usual { try await Self.untilCanceled() }
            },
            calls: { service in
                let sessions = try await service.sessions()
                #expect(sessions.isEmpty)
            })
        #expect(said.isEmpty)
        #expect(socket.requests.count == 4)
    }
}
