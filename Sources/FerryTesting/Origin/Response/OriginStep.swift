// Ferry: FerryTesting
// What a connection of the origin does, one step at a time.

/// One step of an answer.
package enum OriginStep: Equatable, Sendable {
    /// Sends bytes that are no body: heads, chunk framing.
    case send([UInt8])
    /// Sends body bytes, which are counted.
    case body(OriginContent, pace: OriginPace?, chunked: Bool)
    case pause(Duration)
    /// Waits until the test releases that name.
    case hold(String)
    /// Sends bytes again and again until the peer leaves.
    case forever([UInt8], every: Duration)
    /// Says nothing more and keeps the connection open.
    case stall
    /// Ends the connection in order: what was sent arrives, then FIN; over TLS with close_notify.
    case close
    /// Ends a TLS connection with FIN alone.
    case closeWithoutNotify
    /// Ends the connection with RST once the peer's kernel has all that was sent.
    case reset

    /// Whether nothing can follow.
    package var isLast: Bool {
        switch self {
        case .forever, .stall, .close, .closeWithoutNotify, .reset: true
        case .send, .body, .pause, .hold: false
        }
    }
}

/// How fast body bytes go out: pieces of a size, one an interval.
package struct OriginPace: Equatable, Sendable {
    package var bytes: Int
    package var interval: Duration

    package init(bytes: Int, interval: Duration) {
        self.bytes = bytes
        self.interval = interval
    }
}
