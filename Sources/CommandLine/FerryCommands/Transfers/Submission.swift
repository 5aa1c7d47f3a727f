import FerryCore

/// A submitted request: its transfer, or the error.
enum Submission: Encodable {
    case accepted(Transfer)
    case refused(url: String, session: SessionID, ServiceError)

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

    /// Submits requests in batches, and reports each batch once it is durable.
    ///
    /// - Parameter onBatch: Called with a batch, and the number of a durable event before all of the batch's events, if
    ///   known.
    static func submit(
        _ list: RequestList, to service: any TransferService,
        onBatch: (_ batch: [Submission], _ after: Int64?) async throws -> Void
    ) async throws {
        var start = 0
        while start < list.requests.count {
            let batch = Array(list.requests[start...].prefix(batchSize))
            let report = try await service.submitNumbered(batch)
            let submissions = zip(report.results, batch).enumerated().map { place, pair in
                switch pair.0 {
                case .accepted(let transfer): Submission.accepted(transfer)
                case .refused(let error):
                    Submission.refused(
                        url: pair.1.url, session: pair.1.session, list.error(error, of: start + place))
                }
            }
            start += batch.count
            try await onBatch(submissions, report.after)
        }
    }

    private static let batchSize = 1000
}

extension Submission {
    /// Updated with the transfer's later state.
    func updated(by transfers: [TransferID: Transfer]) -> Submission {
        guard case .accepted(let transfer) = self else { return self }
        return .accepted(transfers[transfer.id] ?? transfer)
    }

    /// Exit status of a wait for it.
    var exitStatus: Int32 {
        switch self {
        case .accepted(let transfer): transfer.exitStatus
        case .refused(_, _, let error): error.code.row.exitStatus
        }
    }
}

extension [Submission] {
    /// The exit status of the first failure, or 0.
    var exitStatus: Int32 { lazy.map(\.exitStatus).first { $0 != 0 } ?? 0 }
}

extension CommandContext {
    /// Prints the refused requests with their errors.
    func sayRefusals(_ submissions: [Submission]) {
        for case .refused(let url, _, let error) in submissions { sayRefusal(of: url, error) }
    }

    func sayRefusal(of url: String, _ error: ServiceError) {
        console.say(
            "ferry: \(url.escapingControls): \(error.message.escapingControls) (\(error.word.escapingControls))")
    }
}

/// Submits URLs that share all other properties, in as few lists as the daemon's memory allows, each in one
/// transaction.
struct ListSubmission {
    let template: TransferRequest
    private var list: URLList

    init(_ template: TransferRequest, _ list: URLList) {
        self.template = template
        self.list = list
    }

    /// The result of a durable list.
    struct Handover {
        let report: TransferBatch.Report
        let urls: ArraySlice<String>
        fileprivate let error: (ServiceError, _ place: Int) -> ServiceError

        /// The ids of the accepted transfers, in the order of the URLs.
        var ids: [TransferID] { report.ids }

        var refused: [(url: String, error: ServiceError)] {
            var refused: [(url: String, error: ServiceError)] = []
            var index = urls.startIndex
            for run in report.runs {
                let end = index + run.count
                if let error = run.error { refused += (index..<end).map { (urls[$0], self.error(error, $0)) } }
                index = end
            }
            return refused
        }
    }

    /// - Parameter onList: Called with each list as soon as it is durable.
    func submit(to service: any SessionService, onList: (Handover) -> Void) async throws {
        var rest = list.urls[...]
        while !rest.isEmpty {
            var size = 0
            let some = rest.prefix(Self.mostURLs).prefix { url in
                size += url.utf8.count + 1
                // A URL that is too long for any list is refused individually.
                return size <= Self.mostBytes || size == url.utf8.count + 1
            }
            rest = rest.dropFirst(some.count)
            let report = try await service.submit(TransferBatch(template: template, urls: URLLines(some)))
            guard report.count == some.count else {
                throw ServiceError(.internal, "The daemon replied to \(report.count) of \(some.count) URLs.")
            }
            onList(
                Handover(report: report, urls: some) { [list] error, place in
                    list.origin(of: place).map(error.inLine) ?? error
                })
        }
    }

    /// The remaining list without unfinished transfers of earlier commands, and those transfers.
    func withoutUnfinished(
        in service: any TransferService
    ) async throws(ServiceError) -> (list: ListSubmission, unfinished: [Continuation]) {
        var unfinished = try await UnfinishedTransfers(service, session: template.session, isForList: true)
        guard !unfinished.isEmpty else { return (self, []) }
        var goingOn: [Continuation] = []
        var others = self
        others.list = list.filter { url in
            guard let transfer = unfinished.take(url, like: template) else { return true }
            var request = template
            request.url = url
            goingOn.append(Continuation(transfer: transfer, request: request))
            return false
        }
        return (others, goingOn)
    }

    /// Whether requests can be submitted as a list: their URLs come from a file, and all other properties are shared.
    static func takes(_ template: TransferRequest, _ list: URLList, of options: RequestOptions) -> Bool {
        // Files in a list have no names, and each has exactly one URL.
        !options.list.inputFile.isEmpty && options.urls.isEmpty && list.extras.isEmpty && template.file.name == nil
            && template.mirrors.isEmpty
            && options.checksums == nil && !options.file.continuesFiles
    }

    private static let mostURLs = 1 << 18
    private static let mostBytes = 24 << 20
}
