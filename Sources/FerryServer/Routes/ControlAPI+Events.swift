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
            let events = try await service.events(EventSubscription(items: request.queryItems()))
            return Response(
                status: .ok,
                // The stream ends with the connection: a client that leaves is noticed without a further event.
                headers: [.contentType: MediaType.lines, .cacheControl: "no-store", .connection: "close"],
                body: ResponseBody { writer in
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        for try await event in events.cancelOnGracefulShutdown() {
                            try await writer.write(JSONLine.buffer(event))
                        }
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
