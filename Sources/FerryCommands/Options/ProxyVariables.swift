// Ferry: FerryCommands
// The proxy variables of the environment.

/// The proxy variables that go with a request, so that the daemon uses the proxy of the program that asked.
enum ProxyVariables {
    // Upper-case HTTP_PROXY is left out: a CGI program's client could set it by a header named Proxy.
    static let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]

    static func of(_ environment: [String: String]) -> [String: String] {
        environment.filter { names.contains($0.key) }
    }
}
