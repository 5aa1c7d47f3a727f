import FerryCore

/// The first connection of an attempt, and the properties shared by all of its connections.
struct AttemptConnections: Sendable {
    /// Index of the first connection's event loop.
    var loop = 0
    /// A response that a short attempt has received. The first request takes it.
    var received: ReceivedResponse?
    /// The exchange on the first connection.
    private(set) var exchange: Exchange?
    /// Facts about each request, for the client's metrics.
    private var recorders: [ExchangeRecorder] = []
    /// The origin that the first connection is counted for.
    private var counted: Origin?
    /// The trust settings and client certificate of connections. `nil` until one needs them.
    private var material: RequestMaterial?

    /// Counts the first connection for its host after redirects. `nil` counts none.
    mutating func count(at origin: Origin?, _ budget: ConnectionBudget) {
        guard origin != counted else { return }
        if let origin { budget.enter(origin) }
        if let counted { budget.leave(counted) }
        counted = origin
    }

    /// Records the start of a request on the first connection.
    mutating func opened(_ other: Exchange) {
        exchange = other
        if let recorder = other.recorder, recorder.isDetailed { recorders.append(recorder) }
    }

    /// The facts about the requests.
    var facts: [ExchangeFacts] { recorders.map(\.facts) }

    // MARK: Trust

    /// Returns whether the request's trust files must be read before sending. Plain HTTP needs none.
    ///
    /// - Parameter proxy: A proxy with TLS has a certificate too.
    func needsTrust(for url: HTTPURL, through proxy: ProxyChoice?) -> Bool {
        (url.isSecure || proxy?.scheme == .https) && material == nil
    }

    mutating func take(_ read: RequestMaterial) { material = read }

    /// Returns the trust settings and client certificate of a connection for a URL.
    ///
    /// - Throws: ``ServiceError`` with code `internal` before the files are read: no connection has less trust than it
    ///   needs.
    func trust(
        for url: HTTPURL, through proxy: ProxyChoice?, home: Origin
    ) throws(ServiceError) -> TrustMaterial? {
        guard url.isSecure || proxy?.scheme == .https else { return nil }
        guard let material else { throw ServiceError(.internal, "The files of the request's trust were not read.") }
        return url.origin == home ? material.home : material.foreign
    }
}
