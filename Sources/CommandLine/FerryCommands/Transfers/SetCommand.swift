import ArgumentParser
import FerryCore
import FerryFoundation

/// Changes waiting or running transfers.
struct SetCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "set", abstract: "Change waiting or running transfers; their bytes are kept.",
        discussion: """
            A running transfer continues without reconnecting where possible. A name or a folder can be changed while a transfer is \
            paused, or has failed.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @Argument(
        help: ArgumentHelp("Transfers: ids, prefixes of ids, or last for the newest.", valueName: "id"),
        completion: .ofFerry)
    var ids: [String]

    @OptionGroup var change: ChangeOptions

    @Flag(name: .shortAndLong, help: "Print only errors, and what a new server does not get.")
    var quiet = false

    @Flag(help: "Print the changed transfers as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        var common = try change.change(in: context)
        guard common != TransferChange() || change.hasLogins else {
            throw ValidationError("Give an option to change, such as --priority high or --limit-rate 500k.")
        }
        var changed: [Transfer] = []
        var status: Int32 = 0
        let found = try await TransferWords(words: ids).ids(in: service)
        if change.hasLogins {
            var urls: [HTTPURL] = []
            for id in found {
                let known = try await service.transfer(id).url
                if let url = try? HTTPURL(parsing: change.url ?? known) { urls.append(url) }
            }
            common.login = try change.login(for: urls, in: context)
        }
        let change = common
        for id in found {
            do throws(ServiceError) {
                let known = change.url == nil ? nil : try await unfinished(id, service).notes.count
                let transfer = try await service.change(id, change)
                changed.append(transfer)
                if !json, !quiet { context.console.say("\(id): changed") }
                if let known, let advice = NewServer.advice(transfer.notes.dropFirst(known)) {
                    context.console.say("\(id): \(advice)")
                }
            } catch {
                context.console.say(ActionResult(id: id, error: error).line)
                if status == 0 { status = error.code.row.exitStatus }
            }
        }
        if json { context.console.print(try JSONText.array(changed)) }
        return status
    }
}

/// The transfer, for another URL.
///
/// - Throws: ``ServiceError`` if it has succeeded. Apps may start such a transfer again, and commands cannot.
private func unfinished(_ id: TransferID, _ service: any TransferService) async throws(ServiceError) -> Transfer {
    let transfer = try await service.transfer(id)
    guard transfer.state != .succeeded else {
        throw ServiceError(
            .requestNotReplaceable, "It has succeeded and fetches nothing more; ferry get URL fetches another file.")
    }
    return transfer
}

/// Advice about a new URL at another server.
enum NewServer {
    /// Returns a sentence about what was not taken along, or `nil` if nothing was.
    static func advice(_ notes: some Sequence<String>) -> String? {
        notes.first(where: TransferNotes.isAboutRemovedParts).map {
            "\($0.escapingControls); give new ones with -H, or in the URL, if it needs them"
        }
    }
}

/// The changeable options, named as in `get`.
struct ChangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Another URL of the same file. Another server gets no fields or cookies of the current one.",
            valueName: "url"))
    var url: String?

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("name")], parsing: .unconditional,
        help: ArgumentHelp("Another name, also for a finished file.", valueName: "name"))
    var name: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("folder")], parsing: .unconditional,
        help: ArgumentHelp("Another folder.", valueName: "folder"))
    var folder: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("low, normal, high or a number from -10 to 10.", valueName: "priority"),
        completion: .priorities,
        transform: Priority.typed)
    var priority: Priority?

    @Option(
        help: ArgumentHelp("Maximum bytes per second; 0 for no limit.", valueName: "rate"), transform: ByteAmount.rate)
    var limitRate: Int64?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp("Connections per file, 1 to 64.", valueName: "number"),
        transform: NumberArgument.whole(.connections))
    var connections: Int?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another URL of the same file, replacing the current ones; can be given several times.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Header field, replacing the current ones; can be given several times.", valueName: "field"),
        transform: HeaderSource.parse)
    var headers: [HeaderSource] = []

    @Option(
        name: [.customShort("b", allowingJoined: true), .customLong("cookie")], parsing: .unconditional,
        help: ArgumentHelp("A cookies.txt file, replacing the current cookies.", valueName: "file"))
    var cookie: String?

    @Option(
        help: ArgumentHelp("A file with credentials of hosts, replacing the current ones.", valueName: "file"),
        completion: .file())
    var netrcFile: String?

    @Option(
        help: ArgumentHelp("Expected digest, replacing the current ones.", valueName: "algorithm:hex"),
        transform: RequestOptions.checksum)
    var checksum: [Checksum] = []

    @Option(help: ConflictPolicy.help)
    var onConflict: ConflictPolicy?

    @Option(
        help: ArgumentHelp(
            "Start no earlier than 20:00, 2026-01-31T20:00, or +2h; now removes it.", valueName: "time"
        ))
    var begin: String?

    func validate() throws {
        guard let cookie, cookie.contains("=") else { return }
        throw ValidationError(
            "-b names a cookies.txt file here; -H 'Cookie: \(cookie.escapingControls)' sets the field.")
    }

    func change(in context: CommandContext) throws -> TransferChange {
        var change = TransferChange()
        change.url = url
        change.folder = try folder.map(context.typedPath.folder)
        if let name, name.contains("/") {
            throw ValidationError("--name is a name without a folder; use --folder for that.")
        }
        change.name = name
        change.priority = priority
        change.rateLimit = limitRate
        change.connections = connections
        if !mirror.isEmpty { change.mirrors = mirror }
        if !headers.isEmpty { change.headers = try headers.flatMap { try $0.fields(context.console.read) } }
        if !checksum.isEmpty { change.checksums = checksum }
        change.onConflict = onConflict
        change.notBefore = try begin.map { try MomentArgument.parse($0, now: context.now()) }
        return change
    }

    /// Whether cookies or credentials are to be changed.
    var hasLogins: Bool { cookie != nil || netrcFile != nil }

    /// - Parameter urls: The URLs of the transfers. An entry or a cookie for one of their hosts must be readable.
    func login(for urls: [HTTPURL], in context: CommandContext) throws -> LoginChange {
        var change = LoginChange()
        if let cookie {
            let file = try CookieFile(
                context.console.read(cookie), from: cookie, hosts: Set(urls.map(\.host)), now: context.now())
            if let remark = file.skipped.remark(cookie, kind: "a cookie") { context.remark(remark) }
            change.cookies = file.cookies
        }
        if let netrcFile { change.logins = try NetrcFile(option: netrcFile, in: context).logins(for: urls) }
        return change
    }
}
