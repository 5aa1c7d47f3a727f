// Ferry: FerryCore
// How the end of a body is known.

/// How the end of a response's body is known (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// After this many bytes; fewer are a lost connection.
    case length(Int64)
    /// By the last chunk, or by the end of the stream in HTTP/2.
    case chunked
    /// By the end of the connection alone: whole over plain HTTP, over TLS only with a close_notify.
    case untilClose
}
