import ArgumentParser
import FerryCore

/// Options for connections and proxies. They override environment variables.
struct ConnectionOptions: ParsableArguments {
    @OptionGroup var security: SecurityOptions

    @Flag(help: "Follow redirects from https to http.")
    var allowDowngrade = false

    @Flag(help: "Follow redirects from public hosts to private and link-local addresses.")
    var allowPrivateRedirects = false

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Connect only to IPv4 addresses.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Connect only to IPv6 addresses.")
    var ipv6 = false

    @Option(
        help: ArgumentHelp(
            "Use this proxy: http://, https://, socks5:// or socks5h:// and [USER:PASSWORD@]HOST[:PORT]; '' for none.",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp("Hosts without proxy, separated by commas; * for all.", valueName: "hosts"))
    var noproxy: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds for connecting, including TLS (default: 30).", valueName: "seconds"),
        transform: NumberArgument.seconds(.connectTimeout))
    var connectTimeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds without a byte after which a connection is closed (default: 60).", valueName: "seconds"),
        transform: NumberArgument.seconds(.idleTimeout))
    var readTimeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum number of redirects, 0 to 100 (default: 20).", valueName: "number"),
        transform: NumberArgument.whole(.maxRedirects))
    var maxRedirs: Int?

    @Flag(help: "Accept gzip and deflate compression, and decompress the file.")
    var compressed = false

    func validate() throws {
        guard !ipv4 || !ipv6 else {
            throw ValidationError("-4 and -6 exclude each other; without them, both are used.")
        }
        guard !security.httpsOnly || !allowDowngrade else {
            throw ValidationError("--https-only and --allow-downgrade exclude each other.")
        }
        // Validated here instead of in a transform, whose error would show the value, which may contain a password.
        guard let proxy, !proxy.isEmpty else { return }
        do { _ = try ProxyChoice(parsing: proxy) } catch { throw ValidationError(error.message) }
    }

    func apply(to request: inout TransferRequest, in context: CommandContext) throws {
        security.apply(to: &request)
        request.transport.redirects.allowDowngrade = allowDowngrade
        request.transport.redirects.allowPrivateRedirects = allowPrivateRedirects
        request.transport.addressFamily = ipv4 ? .ipv4 : ipv6 ? .ipv6 : nil
        request.timing.connectTimeout = connectTimeout
        request.timing.idleTimeout = readTimeout
        if let maxRedirs { request.transport.redirects.most = maxRedirs }
        request.response.decode = compressed
        if compressed, !request.headers.contains(where: { $0.isNamed("Accept-Encoding") }) {
            request.headers.append(HeaderField(name: "Accept-Encoding", value: "gzip, deflate"))
        }
        try caller(in: context).apply(to: &request)
    }

    /// The caller's environment, overridden by these options.
    private func caller(in context: CommandContext) throws -> CallerEnvironment {
        var caller = CallerEnvironment(
            variables: context.environment, umask: context.umask, currentFolder: context.currentFolder)
        let paths = context.typedPath
        try security.apply(to: &caller.trust, paths)
        if let proxy { caller.setProxy(proxy) }
        if let noproxy { caller.setExceptions(noproxy) }
        return caller
    }
}
