import ArgumentParser
import FerryCore
import FerryFoundation

/// Options for credentials and cookies.
struct LoginArguments: ParsableArguments {
    @Option(
        name: [.customShort("u", allowingJoined: true), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User name, whose password is asked for on the terminal; or USER:PASSWORD, which other users can see in the process list.",
            valueName: "user"))
    var user: String?

    @Flag(help: "Read the password of -u USER from standard input.")
    var passwordStdin = false

    @Flag(help: "Send the password of -u also to the hosts that redirects lead to, if they ask for one.")
    var locationTrusted = false

    @Flag(help: "Send passwords over https before the server asks, for servers that show strangers a login page.")
    var authNoChallenge = false

    @Option(
        help: ArgumentHelp(
            "Read credentials of hosts from this file (default: ~/.netrc, if it exists).", valueName: "file"),
        completion: .file())
    var netrcFile: String?

    @Option(
        name: [.customShort("b", allowingJoined: true), .customLong("cookie")], parsing: .unconditional,
        help: ArgumentHelp(
            "Cookies such as 'a=1; b=2', or a cookies.txt file, whose cookies are sent to their own hosts.",
            valueName: "cookies"))
    var cookie: String?

    func validate() throws {
        guard user != nil || !passwordStdin else { throw ValidationError("--password-stdin needs -u USER.") }
        guard user != nil || !locationTrusted else {
            throw ValidationError(
                "--location-trusted is for the password of -u USER; the hosts in ~/.netrc need no option.")
        }
    }

    /// Number of these options that read standard input.
    var readsOfStandardInput: Int { (passwordStdin ? 1 : 0) + (cookie == "-" ? 1 : 0) + (netrcFile == "-" ? 1 : 0) }

    /// Sets credentials and cookies, and adds the login of `-u` to the URLs.
    ///
    /// - Throws: `ValidationError` for an unreadable file, or an unreadable entry for one of the URLs.
    func apply(
        to request: inout TransferRequest, urls: [String], in context: CommandContext
    ) throws -> [String] {
        var urls = urls
        request.login.isPreemptive = authNoChallenge
        if let user {
            let login = try Login(option: user, input: password(of: user, in: context))
            urls = urls.map(login.added)
            if locationTrusted {
                request.login.logins = [GivenLogin(host: nil, user: login.user, password: login.password)]
            }
        }
        let servers = Self.servers(of: urls)
        let strangers = servers.filter { $0.credentials?.password == nil }
        // A login for a host takes precedence over the one for all hosts.
        request.login.logins =
            try (netrc(in: context)?.logins(for: strangers, count: urls.count) ?? []) + request.login.logins
        try applyCookies(to: &request, hosts: Set(servers.map(\.host)), in: context)
        return urls
    }

    private func applyCookies(
        to request: inout TransferRequest, hosts: Set<String>, in context: CommandContext
    ) throws {
        guard let cookie else { return }
        guard !cookie.contains("=") else {
            return request.headers.append(HeaderField(name: "Cookie", value: cookie))
        }
        let file = try CookieFile(context.console.read(cookie), from: cookie, hosts: hosts, now: context.now())
        if let remark = file.skipped.remark(cookie, kind: "a cookie") { context.remark(remark) }
        request.cookies = file.cookies
    }

    /// One URL for each server.
    private static func servers(of urls: [String]) -> [HTTPURL] {
        var seen: Set<Substring> = []
        return urls.compactMap { url in
            let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
            let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
            return seen.insert(url[..<end]).inserted ? try? HTTPURL(parsing: url) : nil
        }
    }

    // MARK: Passwords

    /// The password from standard input or the terminal, or nil if none is to be read.
    private func password(of user: String, in context: CommandContext) throws -> String? {
        if passwordStdin { return try context.console.read("-") }
        guard !user.contains(":") else { return nil }
        return context.console.ask("Password of \(user.escapingControls): ", isSecret: true)
    }

    /// The netrc file: that of the option, or the user's own.
    private func netrc(in context: CommandContext) throws -> NetrcFile? {
        if let netrcFile { return try NetrcFile(option: netrcFile, in: context) }
        return context.usesNetrc ? NetrcFile(ofUserIn: context) : nil
    }
}
