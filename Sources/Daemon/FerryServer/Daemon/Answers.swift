import FerryCore
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// The context of a request: what Hummingbird needs, and the request's connection.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Responds to the requests of all connections using the API's routes.
///
/// Hummingbird's own application updates the `Date` field with a timer that wakes an idle daemon every second.
struct Answers<Routes: HTTPResponder>: Sendable where Routes.Context == ConnectionContext {
    private let routes: Routes
    private let logger: Logger
    private let date = DateField()

    init(_ routes: Routes, logger: Logger) {
        self.routes = routes
        self.logger = logger
    }

    /// - Throws: Errors that end the connection. An `HTTPParserError` gets a 400 response first.
    func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var logger = logger
        logger[metadataKey: "request"] = .stringConvertible(RequestID())
        let context = ConnectionContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response: Response
        do {
            response = try await routes.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            // The routes respond to every error except cancellation.
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = date.text(at: Date())
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch let error as HTTPParserError {
            // The response has begun, so no other can be sent.
            throw BrokenRequest(cause: error)
        }
    }
}

/// A request that failed while its response was being written.
private struct BrokenRequest: Error {
    let cause: HTTPParserError
}

/// The `Date` field of responses (RFC 9110 §6.6.1), formatted once per second.
final class DateField: Sendable {
    private let latest = Mutex<(second: Int64, text: String)>((.min, ""))

    func text(at now: Date) -> String {
        // A clock out of range counts as 1970.
        let second = Int64(exactly: now.timeIntervalSince1970.rounded(.down)) ?? 0
        return latest.withLock { latest in
            if latest.second != second { latest = (second, HTTPDate.text(of: now)) }
            return latest.text
        }
    }
}
