import NIOCore

/// Carries one request and its response for an exchange. Reports to the exchange's delegate.
protocol ExchangeTransport: AnyObject, Sendable {
    /// Completed once the exchange has finished.
    var futureResult: EventLoopFuture<Void> { get }
    /// Whether a connection has taken the request.
    var isAsked: Bool { get }
    /// Starts the request. Call it once.
    func begin()
    /// Ends the exchange.
    func fail(reason error: any Error)
}
