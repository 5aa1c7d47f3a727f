public import Foundation

/// The delegate of stream tasks. Called on the session's delegate queue. All methods have default implementations.
@preconcurrency public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
    /// The peer sends no more, or the app has closed the reading side. Bytes that have arrived can still be read in the
    /// first case.
    func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)

    /// The writing side is closed.
    func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)

    /// Never called: routes are not compared.
    func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)

    /// The connection was captured as two streams, which are not open yet. Their calls block, and they send no events to a
    /// run loop. Closing both closes the connection.
    func urlSession(
        _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
        outputStream: OutputStream)
}

extension URLSessionStreamDelegate {
    public func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
        DelegateProbe.markMissing()
    }

    public func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
        DelegateProbe.markMissing()
    }

    public func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) {
        DelegateProbe.markMissing()
    }

    public func urlSession(
        _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
        outputStream: OutputStream
    ) { DelegateProbe.markMissing() }
}
