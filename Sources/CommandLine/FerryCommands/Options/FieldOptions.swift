import ArgumentParser
import FerryCore
import FerryFoundation

/// Options for header fields and credentials.
struct FieldOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Header field such as 'Name: value', or @FILE with one per line (@- is standard input); can be given several times.",
            valueName: "field"),
        transform: HeaderSource.parse)
    var headers: [HeaderSource] = []

    @Option(
        name: [.customShort("u", allowingJoined: true), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User name, whose password is asked for on the terminal; or USER:PASSWORD, which other users can see in the process list.",
            valueName: "user"))
    var user: String?

    @Flag(help: "Read the password of -u USER from standard input.")
    var passwordStdin = false

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

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("User-Agent of the requests.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp("Referer of the requests.", valueName: "url"))
    var referer: String?

    func validate() throws {
        guard user != nil || !passwordStdin else { throw ValidationError("--password-stdin needs -u USER.") }
    }

    /// Number of these options that read standard input.
    var readsOfStandardInput: Int {
        headers.count { $0 == .file("-") } + (passwordStdin ? 1 : 0) + (cookie == "-" ? 1 : 0)
    }

    /// Adds credentials to the URLs: those of `-u`, or of the netrc file for its hosts.
    func withLogins(_ urls: [String], in context: CommandContext) throws -> [String] {
        if let user {
            let login = try Login(option: user, input: password(of: user, in: context))
            return urls.map(login.added)
        }
        if let netrcFile { return urls.map(try netrc(netrcFile, in: context).added) }
        return withUsualLogins(urls, in: context)
    }

    /// The password from standard input or the terminal, or nil if none is to be read.
    private func password(of user: String, in context: CommandContext) throws -> String? {
        if passwordStdin { return try context.console.read("-") }
        guard !user.contains(":") else { return nil }
        return context.console.ask("Password of \(user.escapingControls): ", isSecret: true)
    }

    private func netrc(_ typed: String, in context: CommandContext) throws -> Netrc {
        let path = try context.typedPath.folder(typed)
        guard !context.console.othersMayRead(path) else {
            throw ValidationError(
                "Other users may read “\(path.escapingControls)”, which contains passwords: run chmod 600 on it.")
        }
        return try Netrc(context.console.read(path), from: path)
    }

    /// Adds the credentials of `~/.netrc`, which no option has requested: its errors are only remarks.
    private func withUsualLogins(_ urls: [String], in context: CommandContext) -> [String] {
        guard let path = context.home.map({ $0 + "/.netrc" }) else { return urls }
        let text: String
        do {
            text = try context.console.read(path)
        } catch {
            // A file that is not there is usual.
            if path.withPath({ unsafe access($0, F_OK) }) == 0 {
                context.remark("~/.netrc is ignored: \((error as? ValidationError)?.message ?? "\(error)")")
            }
            return urls
        }
        do {
            let all = urls.map(try Netrc(text, from: path).added)
            guard all != urls, context.console.othersMayRead(path) else { return all }
            context.remark("~/.netrc is ignored, because other users may read it; run chmod 600 ~/.netrc.")
        } catch {
            context.remark("~/.netrc is ignored: \((error as? ValidationError)?.message ?? "\(error)")")
        }
        return urls
    }

    /// Sets the header fields and cookies.
    func apply(to request: inout TransferRequest, in context: CommandContext) throws {
        request.headers = try headers.flatMap { try $0.fields(context.console.read) }
        if let userAgent { request.headers.append(HeaderField(name: "User-Agent", value: userAgent)) }
        if let referer { request.headers.append(HeaderField(name: "Referer", value: referer)) }
        guard let cookie else { return }
        if cookie.contains("=") {
            request.headers.append(HeaderField(name: "Cookie", value: cookie))
        } else {
            request.cookies = try CookieFile.parse(
                context.console.read(cookie), from: cookie, now: context.now())
        }
    }
}

/// Credentials for all URLs without their own, as with curl's `-u`.
struct Login: Equatable, Sendable {
    let user: String
    let password: String

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// - Parameters:
    ///   - option: `USER:PASSWORD`, or `USER` if the password is given separately.
    ///   - input: The contents of standard input. Nil if the password is not read from it.
    /// - Throws: `ValidationError` without a user name, without a password, or with two.
    init(option: String, input: String?) throws {
        let parts = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty else {
            throw ValidationError("-u needs a user name, as in USER:PASSWORD.")
        }
        user = String(first)
        switch (parts.dropFirst().first, input) {
        case (let given?, nil): password = String(given)
        case (nil, let text?): password = String(text.prefix { !$0.isNewline })
        case (nil, nil):
            throw ValidationError("-u \(user.escapingControls) needs a password: USER:PASSWORD, or --password-stdin.")
        case (_?, _?): throw ValidationError("-u already has a password; leave out --password-stdin.")
        }
    }

    /// Adds the credentials to a URL without its own. An invalid URL stays as it is and is refused later.
    func added(to url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard !url[start..<end].contains("@") else { return url }
        return url[..<start] + Self.escaped(user) + ":" + Self.escaped(password) + "@" + url[start...]
    }

    /// Percent-encodes all but unreserved characters (RFC 3986 §2.3), so that decoding returns the same bytes.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || "-._~".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += (byte < 16 ? "%0" : "%") + digits
            }
        }
        return result
    }
}

/// A value of `-H`: a field, or with `@` a file of fields.
enum HeaderSource: Equatable, Sendable {
    case field(HeaderField)
    /// `-` means standard input.
    case file(String)

    @Sendable static func parse(_ text: String) throws -> HeaderSource {
        guard text.hasPrefix("@") else { return .field(try HeaderArgument.parse(text)) }
        guard text.count > 1 else { throw ValidationError("-H @ needs the name of a file.") }
        return .file(String(text.dropFirst()))
    }

    /// The fields. A file has one per line, and blank lines are ignored.
    func fields(_ read: (String) throws -> String) throws -> [HeaderField] {
        switch self {
        case .field(let field): return [field]
        case .file(let path):
            return try read(path).split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
                .enumerated().map { index, line in
                    do { return try HeaderArgument.parse(String(line)) } catch {
                        // The line may be secret.
                        throw ValidationError(
                            "Field \(index + 1) of “\(path.escapingControls)” is not a header field; write 'Name: value'."
                        )
                    }
                }
        }
    }
}
