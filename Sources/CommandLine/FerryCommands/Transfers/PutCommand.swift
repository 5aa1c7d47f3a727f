import ArgumentParser
import FerryClient
import FerryCore

/// Submits uploads and waits for them.
struct PutCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "put",
        abstract: "Upload files and wait for them.",
        discussion: """
            The daemon does the work, as for get. Where the server can resume uploads (draft-ietf-httpbis-resumable-upload), \
            an upload continues after a lost connection. Elsewhere it restarts. The file must not change meanwhile. Ctrl-C pauses the uploads and prints how to resume them.
            """)
    static let exitStatuses = GetCommand.exitStatuses

    @OptionGroup var upload: UploadOptions

    @Flag(help: "Submit the uploads, print the ids and return.")
    var detach = false

    @Flag(name: .shortAndLong, help: "Print only errors, and no response.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON once they have finished.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        if let output = upload.output, let place = try SpecialOutput(output, in: context) {
            var command = self
            command.upload.output = nil
            if case .file(let path) = place { try context.console.redirectOutput(to: path) }
            return try await command.run(in: context)
        }
        var requests = try upload.requests(in: context)
        let attempts = upload.retries.map { RetryLimits(usual: $0) } ?? GetCommand.retries
        if !detach { for place in requests.indices { attempts.apply(to: &requests[place]) } }
        let signals = context.console.stopSignals()
        let service = try context.service()
        let results = TransferResults()
        var submissions: [Submission] = []
        var position: Int64?
        do {
            try await Submission.submit(RequestList(requests), to: service) { batch, after in
                if submissions.isEmpty { position = after }
                submissions += batch
                for case .accepted(let transfer) in batch { await results.take(transfer) }
                context.sayRefusals(batch)
            }
        } catch {
            dropForm(of: requests)
            throw error
        }
        if submissions.allSatisfy({ $0.id == nil }) { dropForm(of: requests) }
        let ids = submissions.compactMap(\.id)
        guard !detach else {
            if json { context.console.print(try JSONText.array(submissions)) }
            if !json, !quiet { context.console.print(ids.map(\.description)) }
            return submissions.handoverStatus
        }
        let display = ProgressDisplay(context, total: ids.count, retries: attempts, isQuiet: quiet)
        let wait = TransferWait(context: context, service: service, display: display, signals: signals)
        let end = try await wait.run(ids, after: position) { await results.take($0) }
        let transfers = await results.transfers
        if case .stopped(let signal) = end {
            return try await Leaving(context: context, service: service, results: results)
                .leave(ids, signal) { "ferry resume " + $0.map(\.description).joined(separator: " ") }
        }
        let final = submissions.map { $0.updated(by: transfers) }
        if final.exitStatus == 0 { dropForm(of: requests) }
        if json { context.console.print(try JSONText.array(final)) }
        if !json, !quiet, upload.output == nil, final.count == 1, case .accepted(let transfer)? = final.first {
            try answer(transfer, context)
        }
        return final.exitStatus
    }

    /// Removes the body of a form that is not needed any more.
    private func dropForm(of requests: [TransferRequest]) {
        guard !upload.dataForm.isEmpty else { return }
        for case .file(let file)? in requests.map(\.body) { FormFolder.remove(file.path) }
    }

    /// Prints the server's response.
    ///
    /// - Throws: ``ServiceError`` with code `disk_io` if its file cannot be read.
    private func answer(_ transfer: Transfer, _ context: CommandContext) throws {
        guard transfer.state == .succeeded, let path = transfer.destination else { return }
        let bytes: [UInt8]
        do {
            bytes = try context.console.readBytes(path)
        } catch let error as ValidationError {
            throw ServiceError(.diskIO, "The upload is complete, but not the server's response. \(error.message)")
        }
        var filter = TerminalFilter()
        if !bytes.isEmpty { context.console.write(foreign: bytes[...], &filter) }
    }
}
