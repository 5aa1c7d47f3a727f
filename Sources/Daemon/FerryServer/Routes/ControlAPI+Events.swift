import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The event routes.
extension ControlAPI {
    func addEventRoute(to router: OfferedRoutes) {
        router.respond(to: StreamEvents.self) { request, context in
            let groups = try await service.eventGroups(EventSubscription(items: request.queryItems()))
            return .stream(groups: groups, to: request, on: context.channel)
        }
    }
}

extension Response {
    /// Returns a response with a JSON line for each value. It continues while the client is connected.
    static func stream<Value: Encodable & Sendable>(
        _ values: AsyncThrowingStream<Value, any Error>, to request: Request, on channel: any Channel
    ) -> Response { stream(groups: values.map { [$0] }, to: request, on: channel) }

    /// Returns a response like ``stream(_:to:on:)``, but writes the values of each group at once.
    static func stream<Value: Encodable & Sendable>(
        groups: some AsyncSequence<[Value], any Error> & Sendable, to request: Request, on channel: any Channel
    ) -> Response {
        Response(
            status: .ok,
            // The stream ends with the connection. The server detects a disconnected client without a further value.
            headers: [
                .contentType: MediaType.lines, .cacheControl: "no-store", .connection: "close",
                // nginx would collect the lines in its buffers.
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                try await StreamBuffers.set(on: channel)
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for try await group in groups.cancelOnGracefulShutdown() {
                        var lines = ByteBuffer()
                        for value in group { try JSONLine.append(value, to: &lines) }
                        try await writer.write(lines)
                    }
                }
                try await writer.finish(nil)
            })
    }
}

extension HTTPField.Name {
    fileprivate static let accelBuffering = Self("X-Accel-Buffering")!  // SAFETY: a token of HTTP
}
