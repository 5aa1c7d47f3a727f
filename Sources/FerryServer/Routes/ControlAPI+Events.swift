// Ferry: FerryServer
// The route that sends events.

import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import ServiceLifecycle

extension ControlAPI {
    func addEventRoute(to router: Router<BasicRequestContext>) {
        router.respond(to: StreamEvents.self) { request, _ in
            return .stream(try await service.events(EventSubscription(items: request.queryItems())), to: request)
        }
    }
}

extension Response {
    /// A response whose body is a line of JSON for each value, as long as the client listens.
    static func stream<Value: Encodable & Sendable>(
        _ values: AsyncThrowingStream<Value, any Error>, to request: Request
    ) -> Response {
        Response(
            status: .ok,
            // The stream ends with the connection: a client that leaves is noticed without a further value.
            headers: [.contentType: MediaType.lines, .cacheControl: "no-store", .connection: "close"],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for try await value in values.cancelOnGracefulShutdown() {
                        try await writer.write(JSONLine.buffer(value))
                    }
                }
                try await writer.finish(nil)
            })
    }
}
