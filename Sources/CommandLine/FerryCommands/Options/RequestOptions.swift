package import ArgumentParser
import FerryCore

/// Options that `get` and `add` share.
package struct RequestOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("URLs to download.", valueName: "url"))
    package var urls: [String] = []

    @OptionGroup var list: ListOptions

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp(
            "Name of the file, which replaces an existing one, or a path relative to -d; an existing folder, or NAME/, is the folder; for get also - for standard output.",
            valueName: "name"))
    package var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("folder")], parsing: .unconditional,
        help: ArgumentHelp("Folder for the files; created if missing (default: the current one).", valueName: "folder"),
        completion: .directory)
    package var folder: String?

    @OptionGroup var fields: FieldOptions

    @OptionGroup var login: LoginArguments

    @Option(
        help: ArgumentHelp(
            "Expected digest (md5, sha1, sha256, sha384, sha512); the algorithm may be omitted.",
            valueName: "algorithm:hex"),
        transform: RequestOptions.checksum)
    var checksum: [Checksum] = []

    @Option(
        help: ArgumentHelp("File with digests, such as SHA256SUMS.", valueName: "file"),
        completion: .file())
    var checksums: String?

    @OptionGroup var file: FileOptions

    @OptionGroup var content: ContentOptions

    @OptionGroup var pace: PaceOptions

    @Option(
        help: ArgumentHelp("Session of the transfers.", valueName: "name"), completion: .ofFerry,
        transform: RequestOptions.session)
    var session: SessionID = .cli

    @Option(
        help: ArgumentHelp("Tag to find the transfers by; can be given several times.", valueName: "word"),
        completion: .ofFerry)
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Start no earlier than 20:00, 2026-01-31T20:00, or +2h.", valueName: "time"))
    var begin: String?

    @OptionGroup var connection: ConnectionOptions

    /// Whether the file goes to standard output.
    var isForOutput: Bool { output == "-" }

    package init() {}

    package func validate() throws {
        guard !urls.isEmpty || !list.inputFile.isEmpty else {
            throw ValidationError("Nothing to fetch: give a URL, or a file of URLs with -i.")
        }
        guard pace.mirror.isEmpty || urls.count < 2 else { throw RequestOptions.mirrorsOfMany }
        let files = list.inputFile + [checksums].compactMap(\.self)
        let reads = fields.readsOfStandardInput + login.readsOfStandardInput + content.readsOfStandardInput
        guard reads + files.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError(
                "Standard input can be read for one thing only: -i -, -H @-, -b -, --netrc-file -, --data @-, --checksums - or "
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
