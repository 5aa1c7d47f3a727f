// Ferry: FerryCore
// Which proxy the environment asks for.

/// Reads the proxy variables of an environment as curl does.
package enum ProxyRule {
    /// The proxy for a URL; nil for a direct connection.
    ///
    /// `HTTP_PROXY` in upper case is ignored: a CGI program gets it from the `Proxy` field of a request. For the others lower
    /// case wins, and an empty variable counts as unset.
    /// - Throws: ``TransferError`` with code `invalid_request` if the variable that applies is unusable.
    package static func choose(for url: HTTPURL, environment: [String: String]) throws(TransferError) -> ProxyChoice? {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        if let exceptions = value("no_proxy", "NO_PROXY"), bypasses(host: url.host, noProxy: exceptions) { return nil }
        let own = url.isSecure ? value("https_proxy", "HTTPS_PROXY") : value("http_proxy")
        guard let text = own ?? value("all_proxy", "ALL_PROXY") else { return nil }
        return try ProxyChoice(parsing: text)
    }

    /// Whether a `no_proxy` list names the host: `*`, a name or its parent domain, an address, or a CIDR block.
    package static func bypasses(host: String, noProxy list: String) -> Bool {
        var host = host
        if host.utf8.last == UInt8(ascii: ".") { host.removeLast() }
        let address = IPAddress(host)
        return list.lowercased().split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { item in
            if item == "*" { return true }
            if let address { return covers(String(item), address) }
            var name = item
            if name.hasPrefix(".") { name.removeFirst() }
            if name.hasSuffix(".") { name.removeLast() }
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }

    private static func covers(_ item: String, _ address: IPAddress) -> Bool {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false)
        guard let block = IPAddress(String(parts[0])) else { return false }
        guard parts.count > 1 else { return block == address }
        guard parts.count == 2, (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isASCIIDigit),
            let bits = Int(parts[1])
        else { return false }
        return address.sharesPrefix(of: bits, with: block)
    }
}
