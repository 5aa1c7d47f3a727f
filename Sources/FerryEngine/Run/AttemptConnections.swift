import FerryCore

/// The first connection of an attempt, and what all of its connections depend on.
struct AttemptConnections: Sendable {
    /// Where bytes go: what blocks there holds up the attempt and others of that place.
    private(set) var place = DiskLane.Place.anywhere
    /// Number of the event loop of the first connection.
    private(set) var loop = 0
    /// The exchange of the first connection.
    private(set) var exchange: Exchange?
    /// What is known of each request, for the client's metrics.
    private var recorders: [ExchangeRecorder] = []
    /// The origin that the first connection is counted for.
    private var counted: Origin?
    /// Whom connections trust, and what they show; nil until one needs it.
    private var material: RequestMaterial?

    mutating func settle(at place: DiskLane.Place, loop: Int) { (self.place, self.loop) = (place, loop) }

    /// Counts the first connection for the host that it leads to, after redirects; nil is none.
    mutating func count(at origin: Origin?, _ budget: ConnectionBudget) {
        guard origin != counted else { return }
        if let origin { budget.enter(origin) }
        if let counted { budget.leave(counted) }
        counted = origin
    }

    /// A request of the first connection is under way.
    mutating func opened(_ other: Exchange, keepsFacts: Bool) {
        exchange = other
        if keepsFacts, let recorder = other.recorder { recorders.append(recorder) }
    }

    /// What is known of the requests.
    var facts: [ExchangeFacts] { recorders.map(\.facts) }

    // MARK: Trust

    /// Whether the files of the request's trust are to be read before a request; plain HTTP needs none.
    ///
    /// - Parameter proxy: A proxy with TLS has a certificate too.
    func needsTrust(for url: HTTPURL, through proxy: ProxyChoice?) -> Bool {
        (url.isSecure || proxy?.scheme == .https) && material == nil
    }

    mutating func take(_ read: RequestMaterial) { material = read }

    /// What a connection for a URL trusts and shows.
    ///
    /// - Throws: ``ServiceError`` with code `internal` before the files were read: no connection has less trust than it needs.
    func trust(
        for url: HTTPURL, through proxy: ProxyChoice?, home: Origin
    ) throws(ServiceError) -> TrustMaterial? {
        guard url.isSecure || proxy?.scheme == .https else { return nil }
        guard let material else { throw ServiceError(.internal, "The files of the request's trust were not read.") }
        return url.origin == home ? material.home : material.foreign
    }
}
