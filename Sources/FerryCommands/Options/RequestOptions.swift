import ArgumentParser
import FerryCore

/// Options that `get` and `add` share.
struct RequestOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("What to fetch.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var list: ListOptions

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp(
            "Name of the file, or a path, relative to -d; of get also - for standard output.", valueName: "name"))
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("folder")], parsing: .unconditional,
        help: ArgumentHelp("Folder for the files; made if need be (default: the current one).", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @OptionGroup var fields: FieldOptions

    @Option(
        help: ArgumentHelp(
            "Digest that the file must have (md5, sha1, sha256, sha384, sha512); the algorithm may be left out.",
            valueName: "algorithm:hex"),
        transform: RequestOptions.checksum)
    var checksum: [Checksum] = []

    @Option(
        help: ArgumentHelp("A list of digests, such as SHA256SUMS, that has those of the files.", valueName: "file"),
        completion: .file())
    var checksums: String?

    @OptionGroup var file: FileOptions

    @OptionGroup var content: ContentOptions

    @OptionGroup var pace: PaceOptions

    @Option(
        help: ArgumentHelp("Session that the transfers belong to.", valueName: "name"), completion: .ofFerry,
        transform: RequestOptions.session)
    var session: SessionID = .cli

    @Option(
        help: ArgumentHelp("A word to find the transfers by; can be given again.", valueName: "word"),
        completion: .ofFerry)
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Ask for nothing before this moment: 20:00, 2026-01-31T20:00, or +2h.", valueName: "time"))
    var begin: String?

    @OptionGroup var connection: ConnectionOptions

    var inputFile: String? { list.inputFile }

    /// Whether the file goes to standard output.
    var isForOutput: Bool { output == "-" }

    func validate() throws {
        guard !urls.isEmpty || inputFile != nil else {
            throw ValidationError("There is nothing to fetch: give a URL, or a file of URLs with -i.")
        }
        guard output == nil || urls.count < 2 else { throw RequestOptions.oneNameForMany }
        guard pace.mirror.isEmpty || urls.count < 2 else { throw RequestOptions.mirrorsOfMany }
        let files = [inputFile, checksums]
        let reads = fields.readsOfStandardInput + content.readsOfStandardInput
        guard reads + files.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError(
                "Standard input can be read for one thing only: -i -, -H @-, -b -, --data @-, --checksums - or "
                    + "--password-stdin.")
        }
    }

    static let oneNameForMany = ValidationError(
        "-o names one file, but there are several URLs; use -d for their folder.")

    static let mirrorsOfMany = ValidationError(
        "--mirror is for one file, but there are several URLs; give each its own command.")

    @Sendable static func checksum(_ text: String) throws -> Checksum {
        do { return try Checksum(typed: text) } catch { throw ValidationError(error.message) }
    }

    @Sendable static func session(_ text: String) throws -> SessionID {
        do { return try SessionID(text) } catch { throw ValidationError(error.message) }
    }
}
