// Ferry: FerryCore
// Hosts that are this machine.

/// Hosts that are this machine.
package enum LoopbackHost {
    /// Whether a host, as URLs have it in lower case, is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    package static func contains(_ host: String) -> Bool {
        var host = host
        if host.utf8.last == UInt8(ascii: "."), host.utf8.count > 1 { host.removeLast() }
        if host == "localhost" || host == "[::1]" || host == "::1" || host.hasSuffix(".localhost") { return true }
        // A name like 127.example.org is none.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host of an origin like `https://[::1]:8443`.
    package static func host(ofOrigin origin: String) -> Substring {
        let rest = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
        if rest.first == "[" { return rest.firstIndex(of: "]").map { rest[...$0] } ?? rest }
        return rest.prefix { $0 != ":" && $0 != "/" }
    }
}
