// Ferry: FerryCore
// What a request takes along of its program's environment.

/// What a request takes along of the environment of the program that makes it.
///
/// One daemon serves many programs: the proxies, the trust and the umask of one of them concern its own requests alone.
package struct CallerEnvironment: Hashable, Sendable {
    /// Proxy variables by name.
    package var proxies: [String: String]
    package var trust: RequestTrust
    package var umask: FileMask

    // Upper-case HTTP_PROXY is left out: a CGI program's client could set it by a header named Proxy.
    private static let proxyVariables: Set = [
        "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    ]

    /// - Parameter currentFolder: where relative paths in variables begin.
    package init(variables: [String: String], umask: FileMask, currentFolder: String) {
        proxies = variables.filter { Self.proxyVariables.contains($0.key) }
        trust = RequestTrust(variables: variables, currentFolder: currentFolder)
        self.umask = umask
    }

    package func apply(to request: inout TransferRequest) {
        request.proxyEnvironment = proxies
        request.trust = trust
        request.umask = umask
    }

    /// Goes through one proxy, whatever the variables say; an empty text is none. Exceptions stay as they are.
    package mutating func setProxy(_ url: String) {
        proxies = proxies.filter { $0.key.lowercased() == "no_proxy" }
        if !url.isEmpty { proxies["all_proxy"] = url }
    }

    /// Names the hosts that are asked directly, in place of the hosts that the variables name.
    package mutating func setExceptions(_ list: String) {
        proxies["NO_PROXY"] = nil
        proxies["no_proxy"] = list
    }
}
