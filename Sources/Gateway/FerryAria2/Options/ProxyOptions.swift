import FerryCore

/// The options that choose a request's proxy.
extension OptionValues {
    private static let schemes = ["all-proxy", "http-proxy", "https-proxy"]

    /// Returns the proxies as environment variables, or `nil` if no option names one. The daemon's own environment then
    /// applies.
    func proxies() throws(RPCFault) -> [String: String]? {
        guard (Self.schemes + ["no-proxy"]).contains(where: { values[$0] != nil }) else { return nil }
        var variables: [String: String] = [:]
        for name in Self.schemes {
            guard let text = text(name) else { continue }
            let proxy = withCredentials(text, of: name)
            do throws(ServiceError) { _ = try ProxyChoice(parsing: proxy) } catch { throw RPCFault.option(name) }
            variables[name.map { $0 == "-" ? "_" : String($0) }.joined()] = proxy
        }
        variables["no_proxy"] = text("no-proxy")
        return variables
    }

    /// Adds the user name and password from separate options to a proxy's URL.
    private func withCredentials(_ url: String, of name: String) -> String {
        guard let user = text(name + "-user") else { return url }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let bare = SecretParts.withoutUserinfo(url)
        let place = bare.firstRange(of: "://")?.upperBound ?? bare.startIndex
        let userinfo =
            PercentEncoding.encodeComponent(user)
            + (values[name + "-passwd"].map { ":" + PercentEncoding.encodeComponent($0) } ?? "")
        return String(url[..<start]) + userinfo + "@" + String(bare[place...])
    }
}
