import Foundation
public import FoundationNetworking

/// Network access and other settings that Foundation's request lacks.
extension URLRequest {
    /// Whether metered networks may be used. The stricter value of the request and the session applies.
    public var allowsExpensiveNetworkAccess: Bool {
        get { !reservedFlags.contains(.noExpensive) }
        set { setReserved(.noExpensive, !newValue) }
    }

    /// Whether constrained networks, which are to be used sparingly, may be used. The stricter value of the request and
    /// the session applies.
    public var allowsConstrainedNetworkAccess: Bool {
        get { !reservedFlags.contains(.noConstrained) }
        set { setReserved(.noConstrained, !newValue) }
    }

    /// The party that initiated a request: the developer or the user.
    public enum Attribution: UInt, Sendable {
        case developer = 0
        case user = 1
    }

    /// Kept for compatibility; no effect.
    public var attribution: Attribution {
        get { reservedFlags.contains(.byUser) ? .user : .developer }
        set { setReserved(.byUser, newValue == .user) }
    }

    /// Kept for compatibility; no effect. Requests use HTTP/2 and HTTP/1.1.
    public var assumesHTTP3Capable: Bool {
        get { reservedFlags.contains(.assumesHTTP3) }
        set { setReserved(.assumesHTTP3, newValue) }
    }

    /// Whether the request follows a protocol class's redirect to another origin, to which the configuration's
    /// `Authorization` and `Cookie` are not sent (docs/behaviour/url-session.md#13, #20).
    var hasLeftOrigin: Bool {
        get { reservedFlags.contains(.leftOrigin) }
        set { setReserved(.leftOrigin, newValue) }
    }

    /// Flags that Foundation's request lacks.
    ///
    /// Stored in a field that is never sent. swift-corelibs-foundation 6.3 drops `URLProtocol` properties when a
    /// request is copied, but keeps fields.
    private struct ReservedFlags: OptionSet {
        let rawValue: Int
        static let noExpensive = ReservedFlags(rawValue: 1)
        static let noConstrained = ReservedFlags(rawValue: 2)
        static let byUser = ReservedFlags(rawValue: 4)
        static let assumesHTTP3 = ReservedFlags(rawValue: 8)
        static let leftOrigin = ReservedFlags(rawValue: 16)
    }

    private static let reservedPrefix = "X-Ferry-Reserved-"
    private static let reservedField = reservedPrefix + "Network-Access"
    /// The field with the properties that `URLProtocol` classes set.
    static let propertiesField = reservedPrefix + "Properties"

    private var reservedFlags: ReservedFlags {
        ReservedFlags(rawValue: value(forHTTPHeaderField: Self.reservedField).flatMap { Int($0) } ?? 0)
    }

    private mutating func setReserved(_ flag: ReservedFlags, _ isOn: Bool) {
        var flags = reservedFlags
        if isOn { flags.insert(flag) } else { flags.remove(flag) }
        setValue(flags.isEmpty ? nil : String(flags.rawValue), forHTTPHeaderField: Self.reservedField)
    }

    /// The header fields without the reserved ones.
    package var sentFields: [String: String] {
        (allHTTPHeaderFields ?? [:]).filter { !$0.key.lowercased().hasPrefix(Self.reservedPrefix.lowercased()) }
    }

    /// Returns this request without the reserved fields.
    func strippingReserved() -> URLRequest {
        var request = self
        request.allHTTPHeaderFields = sentFields
        return request
    }
}
