import Foundation
public import FoundationNetworking

/// Which networks a request may use, and what else Foundation's request has no place for.
extension URLRequest {
    /// Whether metered networks may be used; the stricter of this and the session's wins.
    public var allowsExpensiveNetworkAccess: Bool {
        get { !reservedFlags.contains(.noExpensive) }
        set { setReserved(.noExpensive, !newValue) }
    }

    /// Whether networks may be used that are to be spared; the stricter of this and the session's wins.
    public var allowsConstrainedNetworkAccess: Bool {
        get { !reservedFlags.contains(.noConstrained) }
        set { setReserved(.noConstrained, !newValue) }
    }

    /// Who has asked for what a request names.
    public enum Attribution: UInt, Sendable {
        case developer = 0
        case user = 1
    }

    /// Kept, without effect.
    public var attribution: Attribution {
        get { reservedFlags.contains(.byUser) ? .user : .developer }
        set { setReserved(.byUser, newValue == .user) }
    }

    /// Kept, without effect: requests are made by HTTP/2 and HTTP/1.1.
    public var assumesHTTP3Capable: Bool {
        get { reservedFlags.contains(.assumesHTTP3) }
        set { setReserved(.assumesHTTP3, newValue) }
    }

    /// Whether the request follows a redirect of a protocol class to another origin, which gets no `Authorization` and no
    /// `Cookie` of the session's configuration (docs/behaviour/url-session.md#13, #20).
    var hasLeftOrigin: Bool {
        get { reservedFlags.contains(.leftOrigin) }
        set { setReserved(.leftOrigin, newValue) }
    }

    /// Flags that Foundation's request has no place for.
    ///
    /// They are kept in a field that is never sent: swift-corelibs-foundation 6.3 loses `URLProtocol` properties when a
    /// request is copied, and fields survive.
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
    /// The properties that `URLProtocol` classes give a request.
    static let propertiesField = reservedPrefix + "Properties"

    private var reservedFlags: ReservedFlags {
        ReservedFlags(rawValue: value(forHTTPHeaderField: Self.reservedField).flatMap { Int($0) } ?? 0)
    }

    private mutating func setReserved(_ flag: ReservedFlags, _ isOn: Bool) {
        var flags = reservedFlags
        if isOn { flags.insert(flag) } else { flags.remove(flag) }
        setValue(flags.isEmpty ? nil : String(flags.rawValue), forHTTPHeaderField: Self.reservedField)
    }

    /// The fields that are sent.
    package var sentFields: [String: String] {
        (allHTTPHeaderFields ?? [:]).filter { !$0.key.lowercased().hasPrefix(Self.reservedPrefix.lowercased()) }
    }

    /// This request without the reserved fields, to be sent or shown to a server's code.
    func strippingReserved() -> URLRequest {
        var request = self
        request.allHTTPHeaderFields = sentFields
        return request
    }
}
