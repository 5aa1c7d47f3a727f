import ArgumentParser
import FerryCore

/// What to fetch and how: the options that `get` and `add` share.
struct RequestOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("What to fetch.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: [.customShort("i"), .customLong("input-file")], parsing: .unconditional,
        help: ArgumentHelp(
            "Read URLs from a file, one a line; - is standard input. Blank lines and # lines are skipped.",
            valueName: "file"))
    var inputFile: String?

    @Option(
        name: [.customShort("o"), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp("Name of the file, or a path; relative to -d.", valueName: "name"))
    var output: String?

    @Option(
        name: [.customShort("d"), .customLong("folder")], parsing: .unconditional,
        help: ArgumentHelp("Folder for the files; made if need be (default: the current one).", valueName: "folder"))
    var folder: String?

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

    @Option(
        help: ArgumentHelp(
            "Digest that the file must have (md5, sha1, sha256, sha384, sha512).", valueName: "algorithm:hex"),
        transform: RequestOptions.checksum)
    var checksum: [Checksum] = []

    @Option(help: ArgumentHelp("What to do when the name is taken.", valueName: "policy"))
    var onConflict: ConflictPolicy = .unique

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Which transfers go first: low, normal, high or a number from -10 to 10.", valueName: "priority"))
    var priority: Priority = .normal

    @Option(
        help: ArgumentHelp(
            "Bytes per second at most; k, M and G are powers of 1024, as 500k or 8M.", valueName: "rate"),
        transform: ByteAmount.parse)
    var limitRate: Int64?

    @Option(
        name: [.customShort("x"), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp(
            "Connections for one file, 1 to 64, all at once (default: as many as bring something, up to 8).",
            valueName: "number"),
        transform: RequestOptions.connections)
    var connections: Int?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Another URL of the same file; can be given again.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        help: ArgumentHelp(
            "Failures in a row without progress that are tried again (get: 5; add: the daemon's own limits).",
            valueName: "number"))
    var retries: Int?

    @Option(
        help: ArgumentHelp("Session that the transfers belong to.", valueName: "name"),
        transform: RequestOptions.session)
    var session: SessionID = .cli

    @Option(help: ArgumentHelp("A word to find the transfers by; can be given again.", valueName: "word"))
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Bytes that the file must have.", valueName: "bytes"), transform: ByteAmount.parse)
    var expectedSize: Int64?

    @Option(
        help: ArgumentHelp("Bytes that the file may have at most.", valueName: "bytes"), transform: ByteAmount.parse)
    var maxSize: Int64?

    @Flag(help: "Give the file the time that the server names.")
    var remoteTime = false

    @Flag(help: "Do not verify the server's certificate.")
    var insecure = false

    @Flag(help: "Follow redirects from https to http.")
    var allowDowngrade = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard !urls.isEmpty || inputFile != nil else {
            throw ValidationError("There is nothing to fetch: give a URL, or a file of URLs with -i.")
        }
        guard output == nil || urls.count < 2 else { throw RequestOptions.oneNameForMany }
        guard mirror.isEmpty || urls.count < 2 else { throw RequestOptions.mirrorsOfMany }
        let readers = [inputFile == "-", passwordStdin, headers.contains(.file("-"))]
        guard readers.count(where: \.self) < 2, headers.count(where: { $0 == .file("-") }) < 2 else {
            throw ValidationError("Standard input can be read for one thing only: -i -, -H @- or --password-stdin.")
        }
        guard user != nil || !passwordStdin else {
            throw ValidationError("--password-stdin needs -u USER.")
        }
        if let retries, !SettingRange<Int>.retries.contains(retries) {
            throw ValidationError("--retries is 0 to 1000, not \(retries).")
        }
    }

    static let oneNameForMany = ValidationError(
        "-o names one file, but there are several URLs; use -d for their folder.")

    static let mirrorsOfMany = ValidationError(
        "--mirror is for one file, but there are several URLs; give each its own command.")

    @Sendable private static func connections(_ text: String) throws -> Int {
        guard let number = Int(text), SettingRange<Int>.connections.contains(number) else {
            throw ValidationError("--connections is 1 to 64, not “\(text.escapingControls)”.")
        }
        return number
    }

    @Sendable private static func checksum(_ text: String) throws -> Checksum {
        do { return try Checksum(parsing: text) } catch { throw ValidationError(error.message) }
    }

    @Sendable private static func session(_ text: String) throws -> SessionID {
        do { return try SessionID(text) } catch { throw ValidationError(error.message) }
    }
}
