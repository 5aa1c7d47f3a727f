import FerryCore
import FerryRules
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import FerryEngine

/// Records the events of a response, and checks that nothing follows its end.
final class RecordingReceiver: ResponseReceiver {
    struct Events {
        var head: ReceivedHead?
        var body = ""
        var parts = 0
        var isRequestSent = false
        /// Ends reported: one at most.
        var ends: [String] = []
        /// Events after the end, or parts before the head.
        var misplaced = 0
        var trailers: [HeaderField] = []
        /// Held back until `release`.
        var held: EventLoopPromise<Void>?
    }

    private let events = Mutex(Events())
    /// Whether each part is held back.
    private let holds: EmbeddedEventLoop?

    init(holdingOn loop: EmbeddedEventLoop? = nil) { holds = loop }

    var all: Events { events.withLock { $0 } }

    var isSuccess: Bool { events.withLock { $0.head.map { (200..<300).contains($0.status) } ?? false } }

    func touch() {}

    func sentPart(_ count: Int) { events.withLock { if !$0.ends.isEmpty { $0.misplaced += 1 } } }

    func sentRequest() { events.withLock { $0.isRequestSent = true } }

    func received(_ head: ReceivedHead) {
        events.withLock { events in
            if events.head != nil || !events.ends.isEmpty { events.misplaced += 1 }
            events.head = head
        }
    }

    func received(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        events.withLock { events in
            if events.head == nil || !events.ends.isEmpty || events.held != nil { events.misplaced += 1 }
            events.body += String(buffer: part)
            events.parts += 1
            events.held = holds?.makePromise(of: Void.self)
            return events.held?.futureResult
        }
    }

    /// Takes the part that is held back.
    func release() { events.withLock { $0.held.take() }?.succeed() }

    func finishedResponse(_ trailers: [HeaderField]) {
        events.withLock { events in
            events.ends.append("complete")
            events.trailers = trailers
        }
    }

    func failed(_ error: any Error) { events.withLock { $0.ends.append("\(error)") } }
}

/// A connection whose bytes a test sends and reads.
final class EmbeddedConnection: HTTPConnectionOwner {
    let channel = EmbeddedChannel()
    let connection: HTTP1Connection
    private let engine: Engine
    private let url: HTTPURL
    /// Whether the connection was reusable after each request.
    private(set) var ends: [Bool] = []
    private(set) var isClosed = false

    init(_ engine: Engine) throws {
        self.engine = engine
        url = try HTTPURL(parsing: "http://host.example/file")
        let relay = Relay()
        connection = HTTP1Connection(
            ConnectionPool.ConnectionID(number: 1), ConnectionFacts(), owner: relay)
        try channel.pipeline.syncOperations.addHandlers(connection.handlers)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        relay.owner = self
    }

    /// Sends a request, and returns what it received. `nil` if the connection did not take it.
    func ask(
        _ method: String = "GET", _ receiver: RecordingReceiver = RecordingReceiver(), body: RequestBodyStream? = nil
    ) throws -> RecordingReceiver? {
        let head = try RequestHead(method, url, [HeaderField(name: "Host", value: "host.example")], proxy: nil)
        let request = PooledRequest(
            .known(head), to: url, method: method, on: ConnectionTarget(ConnectionKey(), for: url),
            client: engine.client, receiver: receiver, timeouts: Timeouts(), body: body)
        if connection.send(request) { return receiver }
        request.failed(ConnectionFailure.closedBeforeHead)
        return nil
    }

    func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// The bytes sent so far.
    func sent() throws -> String {
        var text = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
        return text
    }

    func closeByServer() { channel.pipeline.fireChannelInactive() }

    func ended(on id: ConnectionPool.ConnectionID, isReusable: Bool) { ends.append(isReusable) }
    func limited(_ id: ConnectionPool.ConnectionID, to limit: Int) {}
    func drained(_ id: ConnectionPool.ConnectionID) {}
    func closed(_ id: ConnectionPool.ConnectionID) { isClosed = true }
}

/// Passes the events of a connection to an owner that is created after it.
private final class Relay: HTTPConnectionOwner {
    weak var owner: EmbeddedConnection?

    func ended(on id: ConnectionPool.ConnectionID, isReusable: Bool) { owner?.ended(on: id, isReusable: isReusable) }
    func limited(_ id: ConnectionPool.ConnectionID, to limit: Int) {}
    func drained(_ id: ConnectionPool.ConnectionID) {}
    func closed(_ id: ConnectionPool.ConnectionID) { owner?.closed(id) }
}
