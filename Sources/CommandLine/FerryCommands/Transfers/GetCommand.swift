import ArgumentParser
import FerryClient
import FerryCore

/// Submits and waits for the files.
struct GetCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "get",
        abstract: "Download files and wait for them.",
        discussion: """
            The daemon does the work, so the transfers survive this command. Ctrl-C pauses them and prints how to resume \
            them; a second Ctrl-C exits at once. After SIGTERM and SIGHUP the transfers keep running. The same command \
            again continues unfinished transfers, with the new values of options that ferry set can change; --new starts another \
            transfer.
            """)
    static let exitStatuses =
        ExitStatus.transfers + [
            .usage, ExitStatus(.interrupt, meaning: "interrupted; the transfers are paused"),
            ExitStatus(.terminate, meaning: "ended by SIGTERM (SIGHUP: 129); the transfers continue"),
        ]

    /// The default retry limits for a waiting user.
    static let retries = RetryLimits(usual: 5, unreachable: 2)

    @OptionGroup var request: RequestOptions

    @Flag(help: "Start a new transfer, even if an earlier command has left the same file unfinished.")
    var new = false

    @Flag(
        name: [.customShort("I"), .customLong("head")],
        help: "Request only the head of each response, and print its header fields.")
    var head = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON once they have finished.")
    var json = false

    func validate() throws {
        guard !head || request.output == nil && !json && request.content.method == nil else {
            throw ValidationError("-I prints response heads; leave out -o, -X and --json.")
        }
        guard request.isForOutput else { return }
        guard request.urls.count == 1, request.list.inputFile.isEmpty, !request.list.glob else {
            throw ValidationError("-o - writes one file to standard output; give one URL.")
        }
        guard request.folder == nil else {
            throw ValidationError("-o - writes to standard output, not to a folder; leave out -d.")
        }
        guard !json else { throw ValidationError("-o - and --json both write to standard output; give one of them.") }
        guard request.pace.connections ?? 1 == 1 else {
            throw ValidationError("-o - fetches the file in order, over one connection; leave out -x.")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        if let output = request.output, request.folder == nil, let place = try SpecialOutput(output, in: context) {
            var command = self
            command.request.output = "-"
            try command.validate()
            if case .file(let path) = place { try context.console.redirectOutput(to: path) }
            return try await command.run(in: context)
        }
        var (template, list) = try request.template(in: context)
        let body = request.isForOutput ? BodyOutput(context.console) : nil
        if body != nil { try request.sendToOutput(&template, url: list.urls.first ?? "", in: context) }
        let attempts = request.pace.retries.map { RetryLimits(usual: $0) } ?? Self.retries
        attempts.apply(to: &template)
        template.timing.priority = request.pace.priority ?? .foreground
        if head {
            return try await HeadOutput(context: context, retries: attempts, isQuiet: quiet).run(template, list.urls)
        }
        if !json, ListSubmission.takes(template, list, of: request) {
            return try await get(ListSubmission(template, list), retries: attempts, in: context)
        }
        let requests = try RequestList(template, list, request, in: context)
        let signals = context.console.stopSignals()
        let service = try context.service()

        let results = TransferResults()
        var refused = requests.refusals(in: template.session)
        context.sayRefusals(refused)
        var submissions: [Submission] = []
        var position: Int64?
        var unfinished = new ? UnfinishedTransfers() : try await UnfinishedTransfers(service, session: request.session)
        var goingOn: [(place: Int, continuation: Continuation)] = []
        let others = requests.filter { place, request in
            guard let transfer = unfinished.take(for: request) else { return true }
            goingOn.append((place, Continuation(transfer: transfer, request: request)))
            return false
        }
        let fetch = HeadFetch(context: context, retries: attempts, messages: .none)
        let halves = HalfFiles(context: context, options: request.file, fetch: fetch, isQuiet: quiet)
        let wanted: RequestList
        switch try await halves.applied(to: others) {
        case .requests(let list, let unrelated):
            wanted = list
            refused += unrelated
            context.sayRefusals(unrelated)
        case .stopped(let signal): return signal.exitStatus
        }
        try await Submission.submit(wanted, to: service) { batch, after in
            if submissions.isEmpty { position = after }
            submissions += batch
            for case .accepted(let transfer) in batch { await results.take(transfer) }
            context.sayRefusals(batch)
        }
        if !goingOn.isEmpty {
            // These are listed, since their events may have been long ago.
            position = nil
            if !quiet { for (_, continuation) in goingOn { context.console.say(continuation.sentence) } }
            try await goingOn.map(\.continuation).resume(in: service)
            for (place, continuation) in goingOn {
                submissions.insert(.accepted(continuation.transfer), at: min(place, submissions.count))
            }
        }

        submissions = refused + submissions
        let ids = submissions.compactMap(\.id)
        let display = ProgressDisplay(
            context, total: ids.count, retries: attempts, isQuiet: quiet, omitsSaved: body != nil)
        var wait = TransferWait(context: context, service: service, display: display, signals: signals)
        wait.wantsProgress = body != nil
        let end = try await wait.run(ids, after: position) { update in
            await results.take(update)
            await body?.take(update) {
                // The progress would be written into the data.
                if context.console.isTerminal(.output) { await display.giveUpTerminal() }
            }
        }
        let transfers = await results.transfers
        if case .stopped(let signal) = end {
            return try await leave(ids, results, signal, service, context)
        }
        advise(on: transfers, context)
        if let failure = await body?.failure { throw failure }
        let final = submissions.map { $0.updated(by: transfers) }
        if body != nil, final.exitStatus == 0 {
            _ = try await service.act(.removeWithFile, on: TransferSelection(ids: ids))
            OutputSpool.leave(template.file.folder)
        }
        if json { context.console.print(try JSONText.array(final)) }
        return final.exitStatus
    }

    /// Submits a list in one request, and waits for its files.
    private func get(_ list: ListSubmission, retries: RetryLimits, in context: CommandContext) async throws -> Int32 {
        let signals = context.console.stopSignals()
        let service = try context.service()
        let (list, unfinished) = try await new ? (list, []) : list.withoutUnfinished(in: service)
        let position = try await unfinished.isEmpty ? service.lastEvent() : nil
        var runs: [TransferBatch.Run] = []
        try await list.submit(to: service) { handover in
            for (url, error) in handover.refused { context.sayRefusal(of: url, error) }
            runs += handover.report.runs
        }
        if !unfinished.isEmpty {
            if !quiet { context.console.say("continuing unfinished transfers: \(unfinished.count)") }
            try await unfinished.resume(in: service)
        }
        let ids = unfinished.map(\.transfer.id) + runs.flatMap(\.ids)
        let results = TransferResults()
        let display = ProgressDisplay(context, total: ids.count, retries: retries, isQuiet: quiet)
        let wait = TransferWait(
            context: context, service: service, display: display, signals: signals, omitsSuccesses: true)
        let end = try await wait.run(ids, after: position) { await results.take($0) }
        if case .stopped(let signal) = end { return try await leave(ids, results, signal, service, context) }
        advise(on: await results.transfers, context)
        for continuation in unfinished {
            let status = await results.exitStatus(continuation.transfer.id)
            if status != 0 { return status }
        }
        for run in runs {
            if let error = run.error { return error.code.row.exitStatus }
            for id in run.ids {
                let status = await results.exitStatus(id)
                if status != 0 { return status }
            }
        }
        return 0
    }

    private func advise(on transfers: [TransferID: Transfer], _ context: CommandContext) {
        guard !quiet else { return }
        for sentence in Advice.of(transfers.values) { context.console.say("ferry: " + sentence) }
    }

    private func leave(
        _ ids: [TransferID], _ results: TransferResults, _ signal: StopSignal, _ service: any TransferService,
        _ context: CommandContext
    ) async throws -> Int32 {
        try await Leaving(context: context, service: service, results: results).leave(ids, signal) { open in
            request.isForOutput ? ResumeHint.again(wasNew: new) : ResumeHint.command(open, wasNew: new)
        }
    }
}

/// The command that resumes paused transfers.
enum ResumeHint {
    // A line with more ids than this is of no use.
    private static let mostIDs = 20

    /// - Parameter wasNew: Whether the command would start new transfers again.
    static func command(_ ids: [TransferID], wasNew: Bool) -> String {
        guard ids.count > mostIDs else { return "ferry resume " + ids.map(\.description).joined(separator: " ") }
        return again(wasNew: wasNew)
    }

    static func again(wasNew: Bool) -> String { wasNew ? "the same command without --new" : "the same command" }
}
