/// The daemon's settings. All can be changed while it runs.
package struct ServiceSettings: Hashable, Codable, Sendable {
    /// Maximum number of connections to one origin, across all transfers.
    package var connectionsPerHost = 8
    package var connectionsTotal = 128
    /// Maximum number of running transfers.
    package var activeTransfers = 16
    /// Maximum number of small files that are transferred from one origin at a time.
    ///
    /// More than ``connectionsPerHost`` only while that raises the rate (docs/behaviour/transfers.md#L7).
    package var smallFilesPerHost = 100
    /// Bytes per second for all transfers. 0 for no limit.
    package var rateLimit: Int64 = 0
    /// Bytes per second for sending by all uploads, in addition to ``rateLimit``. 0 for no limit.
    package var uploadRateLimit: Int64 = 0
    /// Bytes of each file system to keep free.
    package var reserve: Int64 = 64 << 20
    /// Whether the user asks for low data usage.
    package var constrained = false
    /// Whether ``slowRateLimit`` applies.
    package var isSlow = false
    /// Bytes per second for all transfers while `isSlow`.
    package var slowRateLimit: Int64 = 1 << 20

    package init() {}

    /// The effective limit in bytes per second for all transfers. 0 for no limit.
    package var currentRateLimit: Int64 {
        guard isSlow else { return rateLimit }
        return rateLimit == 0 ? slowRateLimit : min(rateLimit, slowRateLimit)
    }

    enum CodingKeys: String, CodingKey {
        case connectionsPerHost = "connections_per_host"
        case connectionsTotal = "connections_total"
        case activeTransfers = "active_transfers"
        case smallFilesPerHost = "small_files_per_host"
        case rateLimit = "rate_limit"
        case uploadRateLimit = "upload_rate_limit"
        case reserve, constrained
        case isSlow = "slow"
        case slowRateLimit = "slow_rate_limit"
    }

    package init(from decoder: any Decoder) throws {
        self.init()
        var change = try ServiceSettingsChange(from: decoder)
        // Settings stored by a version without this one have all others, chosen or not.
        if change.smallFilesPerHost == nil {
            if change.connectionsPerHost == connectionsPerHost { change.connectionsPerHost = nil }
            if change.activeTransfers == activeTransfers { change.activeTransfers = nil }
        }
        self = self.applying(change)
    }

    /// Returns these settings with a change applied.
    ///
    /// A chosen number of connections or transfers limits small files too, unless the change says otherwise.
    package func applying(_ change: ServiceSettingsChange) -> ServiceSettings {
        var result = self
        result.connectionsPerHost = change.connectionsPerHost ?? connectionsPerHost
        result.connectionsTotal = change.connectionsTotal ?? connectionsTotal
        result.activeTransfers = change.activeTransfers ?? activeTransfers
        result.smallFilesPerHost =
            change.smallFilesPerHost
            ?? min(change.connectionsPerHost ?? smallFilesPerHost, change.activeTransfers ?? .max)
        result.rateLimit = change.rateLimit ?? rateLimit
        result.uploadRateLimit = change.uploadRateLimit ?? uploadRateLimit
        result.reserve = change.reserve ?? reserve
        result.constrained = change.constrained ?? constrained
        result.isSlow = change.isSlow ?? isSlow
        result.slowRateLimit = change.slowRateLimit ?? slowRateLimit
        return result
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` that names the out-of-range value.
    package func validate() throws(ServiceError) {
        var settings = self
        try settings.bringNumbersIntoRange(.refuse)
    }
}

/// A change of the daemon's settings. Absent keys stay as they are.
package struct ServiceSettingsChange: Hashable, Codable, Sendable {
    package var connectionsPerHost: Int?
    package var connectionsTotal: Int?
    package var activeTransfers: Int?
    package var smallFilesPerHost: Int?
    package var rateLimit: Int64?
    package var uploadRateLimit: Int64?
    package var reserve: Int64?
    package var constrained: Bool?
    package var isSlow: Bool?
    package var slowRateLimit: Int64?

    package init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case connectionsPerHost = "connections_per_host"
        case connectionsTotal = "connections_total"
        case activeTransfers = "active_transfers"
        case smallFilesPerHost = "small_files_per_host"
        case rateLimit = "rate_limit"
        case uploadRateLimit = "upload_rate_limit"
        case reserve, constrained
        case isSlow = "slow"
        case slowRateLimit = "slow_rate_limit"
    }

    /// The JSON keys of a change.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

/// The limits of one session.
package struct SessionSettings: Hashable, Codable, Sendable {
    /// Maximum number of running transfers. Nil uses the daemon's limit.
    package var activeTransfers: Int?
    /// Maximum number of connections to one host. Nil uses the daemon's limit.
    package var hostConnections: Int?
    /// Bytes per second for all its transfers. 0 for no limit.
    package var rateLimit: Int64
    /// Overrides the network policies of its transfers, unless nil.
    package var network: NetworkPolicy?
    /// Overrides the idle timeouts of its transfers, in seconds, unless nil.
    package var idleTimeout: Double?
    /// Whether its transfers start strictly by priority and the session's order.
    package var inOrder = false

    package init(activeTransfers: Int? = nil, rateLimit: Int64 = 0, hostConnections: Int? = nil) {
        self.activeTransfers = activeTransfers
        self.hostConnections = hostConnections
        self.rateLimit = rateLimit
    }

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case activeTransfers = "active_transfers"
        case hostConnections = "host_connections"
        case rateLimit = "rate_limit"
        case network
        case idleTimeout = "idle_timeout"
        case inOrder = "in_order"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        activeTransfers = try box.decodeIfPresent(Int.self, forKey: .activeTransfers)
        hostConnections = try box.decodeIfPresent(Int.self, forKey: .hostConnections)
        rateLimit = try box.decodeIfPresent(Int64.self, forKey: .rateLimit) ?? 0
        network = try box.decodeIfPresent(NetworkPolicy.self, forKey: .network)
        idleTimeout = try box.decodeIfPresent(Double.self, forKey: .idleTimeout)
        inOrder = try box.decodeIfPresent(Bool.self, forKey: .inOrder) ?? false
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` that names the out-of-range value.
    package func validate() throws(ServiceError) {
        var settings = self
        try settings.bringNumbersIntoRange(.refuse)
    }
}

/// A change of a session's limits. Absent keys stay as they are, and null removes a limit.
package struct SessionSettingsChange: Hashable, Codable, Sendable {
    package var activeTransfers: Int??
    package var hostConnections: Int??
    package var rateLimit: Int64?
    package var network: NetworkPolicy??
    package var idleTimeout: Double??
    package var inOrder: Bool?

    package init() {}

    /// Changes every limit to its value in `settings`.
    package init(all settings: SessionSettings) {
        activeTransfers = .some(settings.activeTransfers)
        hostConnections = .some(settings.hostConnections)
        rateLimit = settings.rateLimit
        network = .some(settings.network)
        idleTimeout = .some(settings.idleTimeout)
        inOrder = settings.inOrder
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: SessionSettings.CodingKeys.self)
        func value<Value: Decodable>(_ key: SessionSettings.CodingKeys) throws -> Value?? {
            guard box.contains(key) else { return nil }
            return .some(try box.decodeIfPresent(Value.self, forKey: key))
        }
        activeTransfers = try value(.activeTransfers)
        hostConnections = try value(.hostConnections)
        rateLimit = try value(.rateLimit).map { $0 ?? 0 }
        network = try value(.network)
        idleTimeout = try value(.idleTimeout)
        inOrder = try value(.inOrder).map { $0 ?? false }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: SessionSettings.CodingKeys.self)
        // Absent values are omitted. A removed limit is null.
        if let activeTransfers { try box.encode(activeTransfers, forKey: .activeTransfers) }
        if let hostConnections { try box.encode(hostConnections, forKey: .hostConnections) }
        try box.encodeIfPresent(rateLimit, forKey: .rateLimit)
        if let network { try box.encode(network, forKey: .network) }
        if let idleTimeout { try box.encode(idleTimeout, forKey: .idleTimeout) }
        try box.encodeIfPresent(inOrder, forKey: .inOrder)
    }
}

extension SessionSettings {
    /// Returns these settings with a change applied.
    package func applying(_ change: SessionSettingsChange) -> SessionSettings {
        var result = self
        result.activeTransfers = change.activeTransfers ?? activeTransfers
        result.hostConnections = change.hostConnections ?? hostConnections
        result.rateLimit = change.rateLimit ?? rateLimit
        result.network = change.network ?? network
        result.idleTimeout = change.idleTimeout ?? idleTimeout
        result.inOrder = change.inOrder ?? inOrder
        return result
    }
}
