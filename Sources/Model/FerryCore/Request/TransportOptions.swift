/// The connections of a transfer, and the networks and redirects that they use.
package struct TransportOptions: Hashable, Sendable {
    /// Number of parallel connections. Nil to adapt while running.
    package var connections: Int?
    /// Bytes per second. 0 for no limit.
    package var rateLimit: Int64 = 0
    package var network = NetworkPolicy()
    /// The proxy variables of the submitting program. Nil for the daemon's.
    package var proxyEnvironment: [String: String]?
    package var redirects = RedirectPolicy()
    package var foreignFields: ForeignFields = .drop
    /// The only family of addresses to connect to. Nil for both.
    package var addressFamily: AddressFamily?
    package var addressScope = AddressScope.any

    package init() {}
}

/// The addresses to which a transfer may connect.
///
/// Judged after the look-up of a name, for each host of a redirect chain. A proxy that looks names up itself is given only
/// addresses in the scope, and any name.
package enum AddressScope: String, Codable, CaseIterable, Comparable, Sendable {
    case any
    /// All but link-local ones and those of known metadata services, which trust every client that reaches them.
    case site
    /// Globally reachable ones.
    case global

    package func contains(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .site: !address.isLinkLocal
        case .global: !address.isPrivate && !address.isLinkLocal
        }
    }

    /// Whether the left scope has more addresses than the right one.
    package static func < (left: AddressScope, right: AddressScope) -> Bool {
        func rank(_ scope: AddressScope) -> Int {
            switch scope {
            case .any: 0
            case .site: 1
            case .global: 2
            }
        }
        return rank(left) < rank(right)
    }
}

/// A family of IP addresses.
package enum AddressFamily: String, Codable, CaseIterable, Sendable {
    case ipv4, ipv6

    package var other: AddressFamily { self == .ipv4 ? .ipv6 : .ipv4 }
}

extension TransportOptions {
    typealias CodingKeys = TransferRequest.CodingKeys

    /// Decodes the group's keys of a request's JSON object. Absent keys have default values.
    init(from box: KeyedDecodingContainer<CodingKeys>) throws {
        self.init()
        connections = try box.decodeIfPresent(Int.self, forKey: .connections)
        try box.take(.rateLimit, into: &rateLimit)
        try box.take(.network, into: &network)
        proxyEnvironment = try box.decodeIfPresent([String: String].self, forKey: .proxyEnvironment)
        try box.take(.allowDowngrade, into: &redirects.allowDowngrade)
        try box.take(.allowPrivateRedirects, into: &redirects.allowPrivateRedirects)
        try box.take(.maxRedirects, into: &redirects.most)
        try box.take(.foreignFields, into: &foreignFields)
        addressFamily = try box.decodeIfPresent(AddressFamily.self, forKey: .addressFamily)
        try box.take(.addressScope, into: &addressScope)
    }

    func encode(to box: inout KeyedEncodingContainer<CodingKeys>) throws {
        let usual = TransportOptions()
        try box.encodeIfPresent(connections, forKey: .connections)
        try box.put(rateLimit, .rateLimit, unless: usual.rateLimit)
        try box.put(network, .network, unless: usual.network)
        try box.encodeIfPresent(proxyEnvironment, forKey: .proxyEnvironment)
        try box.put(redirects.allowDowngrade, .allowDowngrade, unless: usual.redirects.allowDowngrade)
        try box.put(
            redirects.allowPrivateRedirects, .allowPrivateRedirects, unless: usual.redirects.allowPrivateRedirects)
        try box.put(redirects.most, .maxRedirects, unless: usual.redirects.most)
        try box.put(foreignFields, .foreignFields, unless: usual.foreignFields)
        try box.encodeIfPresent(addressFamily, forKey: .addressFamily)
        try box.put(addressScope, .addressScope, unless: usual.addressScope)
    }
}
