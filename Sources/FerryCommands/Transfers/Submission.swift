import FerryCore

/// One request that was handed over: the transfer that it became, or why it was refused.
enum Submission: Encodable {
    case accepted(Transfer)
    case refused(url: String, session: SessionID, ServiceError)

    init(_ result: SubmissionResult, of request: TransferRequest) {
        switch result {
        case .accepted(let transfer): self = .accepted(transfer)
        case .refused(let error): self = .refused(url: request.url, session: request.session, error)
        }
    }

    var id: TransferID? {
        switch self {
        case .accepted(let transfer): transfer.id
        case .refused: nil
        }
    }

    private enum CodingKeys: String, CodingKey { case id, url, session, state, error }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .accepted(let transfer): try transfer.encode(to: encoder)
        case .refused(let url, let session, let error):
            var box = encoder.container(keyedBy: CodingKeys.self)
            try box.encodeNil(forKey: .id)
            try box.encode(url, forKey: .url)
            try box.encode(session, forKey: .session)
            try box.encode(TransferState.failed, forKey: .state)
            try box.encode(error, forKey: .error)
        }
    }

    /// Hands requests over in batches, and tells of each batch once it is durable.
    ///
    /// - Parameter onBatch: Gets a batch, and the number of a durable event before all of the batch's, if it is known.
    static func submit(
        _ requests: [TransferRequest], to service: any TransferService,
        onBatch: (_ batch: [Submission], _ after: Int64?) async throws -> Void
    ) async throws {
        var rest = requests[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(batchSize))
            rest = rest.dropFirst(batchSize)
            let report = try await service.submitNumbered(batch)
            try await onBatch(zip(report.results, batch).map { Submission($0, of: $1) }, report.after)
        }
    }

    private static let batchSize = 1000
}

extension Submission {
    /// With what is known of the transfer later.
    func updated(by transfers: [TransferID: Transfer]) -> Submission {
        guard case .accepted(let transfer) = self else { return self }
        return .accepted(transfers[transfer.id] ?? transfer)
    }

    /// Exit status for having waited for it.
    var exitStatus: Int32 {
        switch self {
        case .accepted(let transfer): transfer.exitStatus
        case .refused(_, _, let error): error.code.row.exitStatus
        }
    }
}

extension [Submission] {
    /// The exit status of the first that failed.
    var exitStatus: Int32 { lazy.map(\.exitStatus).first { $0 != 0 } ?? 0 }
}

extension CommandContext {
    /// Says which requests were refused, and why.
    func sayRefusals(_ submissions: [Submission]) {
        for case .refused(let url, _, let error) in submissions { sayRefusal(of: url, error) }
    }

    func sayRefusal(of url: String, _ error: ServiceError) {
        console.say(
            "ferry: \(url.escapingControls): \(error.message.escapingControls) (\(error.word.escapingControls))")
    }
}

/// Hands URLs over that differ in nothing else, as few lists as the daemon's memory allows, each in one transaction.
struct ListSubmission {
    let template: TransferRequest
    let urls: [String]

    /// What became of a list that is durable.
    struct Handover {
        let report: TransferBatch.Report
        let urls: ArraySlice<String>

        /// The ids of all that were accepted, in the order of the URLs.
        var ids: [TransferID] { report.ids }

        var refused: [(url: String, error: ServiceError)] {
            var refused: [(url: String, error: ServiceError)] = []
            var index = urls.startIndex
            for run in report.runs {
                let end = index + run.count
                if let error = run.error { refused += urls[index..<end].map { ($0, error) } }
                index = end
            }
            return refused
        }
    }

    /// - Parameter onList: called with each list as soon as it is durable.
    func submit(to service: any SessionService, onList: (Handover) -> Void) async throws {
        var rest = urls[...]
        while !rest.isEmpty {
            var size = 0
            let some = rest.prefix(Self.mostURLs).prefix { url in
                size += url.utf8.count + 1
                // A URL that is too long for any list is refused as one.
                return size <= Self.mostBytes || size == url.utf8.count + 1
            }
            rest = rest.dropFirst(some.count)
            let report = try await service.submit(TransferBatch(template: template, urls: URLLines(some)))
            guard report.count == some.count else {
                throw ServiceError(.internal, "The daemon answered \(report.count) of \(some.count) URLs.")
            }
            onList(Handover(report: report, urls: some))
        }
    }

    /// What is left of the list without what an earlier command has left unfinished, and that.
    func withoutUnfinished(
        in service: any TransferService
    ) async throws(ServiceError) -> (list: ListSubmission, unfinished: [Continuation]) {
        var unfinished = try await UnfinishedTransfers(service, session: template.session, isForList: true)
        guard !unfinished.isEmpty else { return (self, []) }
        var goingOn: [Continuation] = []
        let others = urls.filter { url in
            guard let transfer = unfinished.take(url, like: template) else { return true }
            var request = template
            request.url = url
            goingOn.append(Continuation(transfer: transfer, request: request))
            return false
        }
        return (ListSubmission(template: template, urls: others), goingOn)
    }

    /// Whether requests can be handed over as a list: a file names their URLs, and they differ in nothing else.
    static func takes(_ template: TransferRequest, _ list: URLList, of options: RequestOptions) -> Bool {
        // A list gives no file a name; no line of a file is empty or has two.
        options.inputFile != nil && options.urls.isEmpty && list.extras.isEmpty && template.name == nil
            && template.mirrors.isEmpty
            && options.checksums == nil
    }

    private static let mostURLs = 1 << 18
    private static let mostBytes = 24 << 20
}
