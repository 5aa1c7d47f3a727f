import ArgumentParser
import FerryClient
import FerryCore

/// Requests response heads only, and prints status lines and fields.
struct HeadOutput {
    let context: CommandContext
    let retries: RetryLimits
    let isQuiet: Bool

    /// - Parameter template: The common request. Method and folder are set here.
    /// - Returns: The exit status: that of a `get` of the first URL without a success status.
    func run(_ template: TransferRequest, _ urls: [String]) async throws -> Int32 {
        var template = template
        template.method = "HEAD"
        // Every status is acceptable: the daemon stores heads of acceptable responses only.
        template.response.statusPolicy = .any
        template.response.acceptableStatuses = StatusRange(lower: 100, upper: 1000)
        template.file.onConflict = .replace
        let requests = try urls.map { url in
            var request = template
            request.url = url
            (request.file.folder, request.file.name) = try OutputSpool.place(of: url, in: context)
            return request
        }
        let signals = context.console.stopSignals()
        let service = try context.service()
        var submissions: [Submission] = []
        try await Submission.submit(RequestList(requests), to: service) { batch, _ in
            submissions += batch
            context.sayRefusals(batch)
        }
        let ids = submissions.compactMap(\.id)
        let results = TransferResults()
        let display = ProgressDisplay(context, total: ids.count, retries: retries, isQuiet: isQuiet, omitsSaved: true)
        let wait = TransferWait(context: context, service: service, display: display, signals: signals)
        let end = try await wait.run(ids) { await results.take($0) }
        let final = submissions.map { [transfers = await results.transfers] in $0.updated(by: transfers) }
        _ = try await service.act(.removeWithFile, onMany: TransferSelection(ids: ids))
        for request in requests { OutputSpool.leave(request.file.folder) }
        if case .stopped(let signal) = end { return signal.exitStatus }
        let responses = final.map(\.response)
        for case let response? in responses { context.console.print(Self.lines(response)) }
        return zip(final, responses).lazy.map { $1.map(Self.exitStatus) ?? $0.exitStatus }.first { $0 != 0 } ?? 0
    }

    private static func lines(_ response: ResponseFacts) -> [String] {
        ["\(response.version) \(response.status)"]
            + response.fields.map { "\($0.name): \($0.value)".escapingControls } + [""]
    }

    private static func exitStatus(_ response: ResponseFacts) -> Int32 {
        switch response.status {
        case ..<400: 0
        case 401, 403: ErrorCode.authRequired.row.exitStatus
        case 404, 410: ErrorCode.notFound.row.exitStatus
        default: ErrorCode.httpStatus.row.exitStatus
        }
    }
}

extension Submission {
    fileprivate var response: ResponseFacts? {
        guard case .accepted(let transfer) = self, transfer.state == .succeeded else { return nil }
        return transfer.response
    }
}
