import FerryCore

/// A failure of a connection for which the libraries have no error.
enum ConnectionFailure: Error, Hashable {
    /// The host has no address of the only family that may be used.
    case noAddress(AddressFamily)
    /// The host has no address in the scope that may be used.
    case outOfScope(AddressScope)
    /// Connecting took too long, including all handshakes.
    case timedOut
    /// The server closed the connection before a response.
    case closedBeforeHead
    /// The server closed the connection within a response.
    case closedEarly
    /// The server closed an HTTP/2 connection or stream before a response.
    case closedHTTP2
}

/// The server had closed a pooled connection before the first byte of a response, or has not processed the request.
///
/// See docs/behaviour/transfers.md#T4.
struct ReusedConnectionClosed: Error {}
