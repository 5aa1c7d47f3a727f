/// The TLS settings of a transfer.
package struct TLSOptions: Hashable, Sendable {
    package var insecure = false
    /// Whether to accept certificates for another host. Their chain is still verified.
    package var skipsHostVerification = false
    /// Trusted authorities and client certificate. Nil for the daemon's.
    package var trust: RequestTrust?
    package var minimumVersion: TLSVersion?
    package var maximumVersion: TLSVersion?

    package init() {}
}

extension TLSOptions {
    typealias CodingKeys = TransferRequest.CodingKeys

    /// Decodes the group's keys of a request's JSON object. Absent keys have default values.
    init(from box: KeyedDecodingContainer<CodingKeys>) throws {
        self.init()
        try box.take(.insecure, into: &insecure)
        try box.take(.skipsHostVerification, into: &skipsHostVerification)
        trust = try box.decodeIfPresent(RequestTrust.self, forKey: .trust)
        minimumVersion = try box.decodeIfPresent(TLSVersion.self, forKey: .minimumTLS)
        maximumVersion = try box.decodeIfPresent(TLSVersion.self, forKey: .maximumTLS)
    }

    func encode(to box: inout KeyedEncodingContainer<CodingKeys>) throws {
        let usual = TLSOptions()
        try box.put(insecure, .insecure, unless: usual.insecure)
        try box.put(skipsHostVerification, .skipsHostVerification, unless: usual.skipsHostVerification)
        try box.encodeIfPresent(trust, forKey: .trust)
        try box.encodeIfPresent(minimumVersion, forKey: .minimumTLS)
        try box.encodeIfPresent(maximumVersion, forKey: .maximumTLS)
    }
}
