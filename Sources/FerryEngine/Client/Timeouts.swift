// Ferry: FerryEngine
// How long the engine waits for a server.

/// How long the engine waits for a server, in seconds. Time in which it does not read itself does not count.
package struct Timeouts: Hashable, Sendable {
    /// DNS, proxy and TLS included.
    package var connect: Double = 30
    /// From the request to the end of the response head.
    package var head: Double = 60
    /// Without a byte of the body.
    package var idle: Double = 60

    package init() {}

    /// Takes another time without a byte, which the connection and the head have together.
    mutating func limit(to seconds: Double) {
        connect = min(connect, seconds)
        head = seconds - connect
        idle = seconds
    }
}
