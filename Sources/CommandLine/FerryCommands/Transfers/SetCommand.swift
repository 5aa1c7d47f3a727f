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

    @Flag(help: "Print the changed transfers as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        let change = try change.change(in: context)
        guard change != TransferChange() else {
            throw ValidationError("Give an option to change, such as --priority high or --limit-rate 500k.")
        }
        var changed: [Transfer] = []
        var status: Int32 = 0
        for id in try await TransferWords(words: ids).ids(in: service) {
            do throws(ServiceError) {
                let known = change.url == nil ? nil : try await service.transfer(id).notes.count
                let transfer = try await service.change(id, change)
                changed.append(transfer)
                if !json { context.console.say("\(id): changed") }
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
}

/// Parses a date.
enum MomentArgument {
    /// - Parameters:
    ///   - text: `20:00` is its next occurrence. Others are `2026-01-31T20:00`, `+90s`, `+30m`, `+2h`, `+1d`, and
    ///     `now`, which is the distant past.
    ///   - calendar: Supplies the time zone if the text has none.
    /// - Throws: `ValidationError` for anything else.
    static func parse(_ text: String, now: Date, calendar: Calendar = .current) throws -> Date {
        if text == "now" { return .distantPast }
        if text.hasPrefix("+"), let seconds = SpanArgument.seconds(text.dropFirst()) {
            return now.addingTimeInterval(seconds)
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        if text.utf8.count <= 5, parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
            (0..<60).contains(minute),
            let date = calendar.nextDate(
                after: now, matching: DateComponents(hour: hour, minute: minute), matchingPolicy: .nextTime)
        {
            return date
        }
        if let date = try? Date(text, strategy: .iso8601) { return date }
        if let date = local(text, calendar) { return date }
        throw ValidationError(
            "“\(text.escapingControls)” is not a time; write it as 20:00, 2026-01-31T20:00, or +2h from now.")
    }

    /// A date and time in the calendar's time zone.
    private static func local(_ text: String, _ calendar: Calendar) -> Date? {
        let halves = text.split(whereSeparator: { $0 == "T" || $0 == " " })
        let days = (halves.first ?? "").split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let clock = (halves.count > 1 ? halves[1] : "0:0").split(separator: ":", omittingEmptySubsequences: false)
            .map { Int($0) }
        guard (1...2).contains(halves.count), days.count == 3, (2...3).contains(clock.count), !days.contains(nil),
            !clock.contains(nil)
        else { return nil }
        let wanted = DateComponents(
            year: days[0], month: days[1], day: days[2], hour: clock[0], minute: clock[1],
            second: clock.count > 2 ? clock[2] : 0)
        guard let date = calendar.date(from: wanted) else { return nil }
        // Rejects dates such as June 31.
        let read = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        return read.day == wanted.day && read.month == wanted.month && read.minute == wanted.minute ? date : nil
    }
}

/// Parses a duration: `90s`, `30m`, `2h`, `7d`.
enum SpanArgument {
    /// - Throws: `ValidationError` for anything else, and for more than a hundred years.
    @Sendable static func parse(_ text: String) throws -> Double {
        guard let seconds = seconds(text[...]) else {
            throw ValidationError("“\(text.escapingControls)” is not a duration; write it as 90s, 30m, 2h or 7d.")
        }
        return seconds
    }

    static func seconds(_ text: Substring) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number >= 0,
            Double(number) * unit <= 100 * 366 * 86_400
        else { return nil }
        return Double(number) * unit
    }
}
