import FerryClient
import FerryCore

/// Requests the heads of responses, and keeps nothing of them.
struct HeadFetch {
    let context: CommandContext
    let retries: RetryLimits
    let messages: Messages

    /// The lines printed while the requests run.
    enum Messages {
        case progress
        case failures
        case none
    }

    enum End {
        /// The submissions in the order of the requests.
        case ended([Submission])
        case stopped(by: StopSignal)
    }

    /// - Parameter requests: Method, folder and policies are set here.
    func run(_ requests: [TransferRequest]) async throws -> End {
        let requests = try requests.map { request in
            var request = request
            request.method = "HEAD"
            // Every status is acceptable: the daemon stores heads of acceptable responses only.
            request.response.statusPolicy = .any
            request.response.acceptableStatuses = StatusRange(lower: 100, upper: 1000)
            request.file.onConflict = .replace
            let place = try OutputSpool.place(of: request.url, in: context)
            // Another command may ask for the same URL.
            request.file.folder = place.folder + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
            request.file.name = place.name
            return request
        }
        let signals = context.console.stopSignals()
        let service = try context.service()
        var submissions: [Submission] = []
        try await Submission.submit(RequestList(requests), to: service) { batch, _ in
            submissions += batch
            if messages != .none { context.sayRefusals(batch) }
        }
        let ids = submissions.compactMap(\.id)
        let results = TransferResults()
        let display = ProgressDisplay(
            context, total: ids.count, retries: retries, isQuiet: messages != .progress, omitsSaved: true)
        if messages == .none { await display.silence() }
        let wait = TransferWait(context: context, service: service, display: display, signals: signals)
        let end = try await wait.run(ids) { await results.take($0) }
        let final = submissions.map { [transfers = await results.transfers] in $0.updated(by: transfers) }
        _ = try await service.act(.removeWithFile, onMany: TransferSelection(ids: ids))
        for request in requests { OutputSpool.leave(request.file.folder) }
        if case .stopped(let signal) = end { return .stopped(by: signal) }
        return .ended(final)
    }
}

extension Submission {
    /// The head of the final response.
    var response: ResponseFacts? {
        guard case .accepted(let transfer) = self, transfer.state == .succeeded else { return nil }
        return transfer.response
    }
}
