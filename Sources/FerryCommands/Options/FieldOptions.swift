import ArgumentParser
import FerryCore

/// What a request sends along: fields, and a user's name and password.
struct FieldOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field to send, such as 'Name: value', or @FILE with one a line (@- is standard input); can be given again.",
            valueName: "field"),
        transform: HeaderSource.parse)
    var headers: [HeaderSource] = []

    @Option(
        name: [.customShort("u"), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User and password of the server, as USER:PASSWORD, which others may see in the list of processes; see --password-stdin.",
            valueName: "user"))
    var user: String?

    @Flag(help: "Read the password that belongs to -u USER from standard input.")
    var passwordStdin = false

    func validate() throws {
        guard user != nil || !passwordStdin else { throw ValidationError("--password-stdin needs -u USER.") }
    }

    /// How many of these options read the standard input.
    var readsOfStandardInput: Int { headers.count { $0 == .file("-") } + (passwordStdin ? 1 : 0) }

    /// The user and password for all URLs of the command; nil without `-u`.
    func login(_ read: (String) throws -> String) throws -> Login? {
        try user.map { try Login(option: $0, input: passwordStdin ? read("-") : nil) }
    }
}

/// A user name and password for all URLs of a command that have none of their own, as curl's `-u` gives them.
struct Login: Equatable, Sendable {
    let user: String
    let password: String

    /// - Parameters:
    ///   - option: `USER:PASSWORD`, or `USER` where the password comes from elsewhere.
    ///   - input: what stands on the standard input; nil where no password is read from it.
    /// - Throws: `ValidationError` if there is no user name, no password, or one too many.
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
        case (_?, _?): throw ValidationError("-u has a password already; leave --password-stdin out.")
        }
    }

    /// A URL with this user and password, unless it has its own; what is no URL stays as it is and is refused later.
    func added(to url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard !url[start..<end].contains("@") else { return url }
        return url[..<start] + Self.escaped(user) + ":" + Self.escaped(password) + "@" + url[start...]
    }

    /// Everything but unreserved characters is written as `%XX` (RFC 3986 §2.3), so that the URL gives back just these bytes.
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

/// A value of `-H`: a field, or with `@` a file of them.
enum HeaderSource: Equatable, Sendable {
    case field(HeaderField)
    /// `-` is the standard input.
    case file(String)

    @Sendable static func parse(_ text: String) throws -> HeaderSource {
        guard text.hasPrefix("@") else { return .field(try HeaderArgument.parse(text)) }
        guard text.count > 1 else { throw ValidationError("-H @ needs the name of a file.") }
        return .file(String(text.dropFirst()))
    }

    /// The fields; a file has one a line, and blank lines say nothing.
    func fields(_ read: (String) throws -> String) throws -> [HeaderField] {
        switch self {
        case .field(let field): return [field]
        case .file(let path):
            return try read(path).split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
                .enumerated().map { index, line in
                    do { return try HeaderArgument.parse(String(line)) } catch {
                        // The line may be a secret.
                        throw ValidationError(
                            "Field \(index + 1) of “\(path.escapingControls)” is no header field; write 'Name: value'.")
                    }
                }
        }
    }
}
