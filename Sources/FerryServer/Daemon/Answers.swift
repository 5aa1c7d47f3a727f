import FerryCore
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Answers the requests of all connections by the routes of the API.
///
/// Hummingbird's own application keeps the date of its answers up to date by a timer that wakes a daemon at rest each second.
struct Answers<Routes: HTTPResponder>: Sendable where Routes.Context == BasicRequestContext {
    private let routes: Routes
    private let logger: Logger
    private let date = DateField()

    init(_ routes: Routes, logger: Logger) {
        self.routes = routes
        self.logger = logger
    }

    /// - Throws: What ends the connection; `HTTPParserError` is answered with 400 before.
    func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var logger = logger
        logger[metadataKey: "request"] = .stringConvertible(RequestID())
        let context = BasicRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response: Response
        do {
            response = try await routes.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            // The routes answer every error but the end of their task.
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = date.text(at: Date())
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch let error as HTTPParserError {
            // The answer has begun, so that there is no other.
            throw BrokenRequest(cause: error)
        }
    }
}

/// A request that broke off while its answer was being written.
private struct BrokenRequest: Error {
    let cause: HTTPParserError
}

/// The field `Date` of answers (RFC 9110 §6.6.1), made once for all answers of a second.
final class DateField: Sendable {
    private let latest = Mutex<(second: Int64, text: String)>((.min, ""))

    func text(at now: Date) -> String {
        // A clock that shows no number of seconds shows 1970.
        let second = Int64(exactly: now.timeIntervalSince1970.rounded(.down)) ?? 0
        return latest.withLock { latest in
            if latest.second != second { latest = (second, HTTPDate.text(of: now)) }
            return latest.text
        }
    }
}
