public import Foundation
import FoundationNetworking

/// A task for a TCP connection on which the app speaks a protocol of its own, optionally over TLS. Foreground sessions
/// only.
///
/// Reads take effect in the order of their calls, and so do writes. A read or write that fails or times out fails its own
/// call. The task completes when both sides are closed, with `URLError.cancelled` after `cancel()`, or with the error of
/// connecting or of TLS.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {  // SAFETY: as its superclass
    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - minBytes: The read waits for this number of bytes, or the end of the stream. At least 1.
    ///   - maxBytes: Maximum number of bytes.
    ///   - timeout: Seconds to wait. 0 waits without a limit.
    ///   - completionHandler: Called once on the session's delegate queue, with the bytes, whether the peer has closed the
    ///     stream and all of its bytes were read, and the error.
    open func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval,
        completionHandler: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
    ) {
        guard let stream else { return refuse { completionHandler(nil, false, $0) } }
        stream.read(minBytes, maxBytes, timeout, completionHandler)
    }

    /// Reads bytes, and returns whether the peer has closed the stream and all of its bytes were read.
    ///
    /// - Throws: `URLError`.
    open func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval
    ) async throws -> (Data?, Bool) {
        try await withCheckedThrowingContinuation { continuation in
            readData(ofMinLength: minBytes, maxLength: maxBytes, timeout: timeout) { data, isAtEnd, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: (data, isAtEnd))
                }
            }
        }
    }

    /// Writes bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - timeout: Seconds to wait until the system has taken all bytes. 0 waits without a limit.
    ///   - completionHandler: Called once on the session's delegate queue, with the error.
    open func write(
        _ data: Data, timeout: TimeInterval, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard let stream else { return refuse { completionHandler($0) } }
        stream.write(data, timeout, completionHandler)
    }

    /// Writes bytes.
    ///
    /// - Throws: `URLError`.
    open func write(_ data: Data, timeout: TimeInterval) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            write(data, timeout: timeout) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Hands the connection over to the delegate as an input and an output stream, after the reads and writes called so
    /// far. The task has then completed.
    open func captureStreams() { stream?.capture() }

    /// Closes the writing side after the writes called so far. The peer sees the end of the stream.
    open func closeWrite() { stream?.closeWrite() }

    /// Closes the reading side after the reads called so far.
    open func closeRead() { stream?.closeRead() }

    /// Starts TLS after the reads and writes called so far. The session's delegate is asked about the certificates.
    open func startSecureConnection() { stream?.startSecureConnection() }

    /// Kept for compatibility; no effect. A connection that has been secure cannot be used without TLS.
    @available(*, deprecated, message: "TLS cannot be disabled once it is enabled")
    open func stopSecureConnection() {}

    private var stream: StreamTransport? { readyTransport() as? StreamTransport }

    /// Fails a call of a task that has completed.
    private func refuse(_ call: @escaping @Sendable (any Error) -> Void) {
        let error = error ?? URLError(.networkConnectionLost)
        (session?.delegateQueue ?? .main).addOperation { call(error) }
    }
}

extension URLSession {
    /// Creates a task for a connection to a host. Not for background sessions.
    ///
    /// - Parameters:
    ///   - hostname: A name or an address.
    ///   - port: From 1 to 65535. With another port, or an invalid name, the task fails once it is resumed.
    public func streamTask(withHostName hostname: String, port: Int) -> URLSessionStreamTask {
        precondition(kind != .background, "Background sessions do not support stream tasks.")
        return make(.stream(host: hostname, port: port)) { URLSessionStreamTask($0, of: $1, work: $2) }
    }
}
