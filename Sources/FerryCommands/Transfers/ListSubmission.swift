// Ferry: FerryCommands
// Handing a list of URLs over.

import FerryCore

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

        var refused: [(url: String, error: TransferError)] {
            var refused: [(url: String, error: TransferError)] = []
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
                // One that is too long for any list is refused as one.
                return size <= Self.mostBytes || size == url.utf8.count + 1
            }
            rest = rest.dropFirst(some.count)
            let report = try await service.submit(TransferBatch(template: template, urls: URLLines(some)))
            guard report.count == some.count else {
                throw TransferError(.internal, "The daemon answered \(report.count) of \(some.count) URLs.")
            }
            onList(Handover(report: report, urls: some))
        }
    }

    /// Whether requests can be handed over as a list: a file names their URLs, and they differ in nothing else.
    static func takes(_ template: TransferRequest, of options: RequestOptions) -> Bool {
        // A list gives no file a name; no line of a file is empty or has two.
        options.inputFile != nil && options.urls.isEmpty && template.name == nil && template.mirrors.isEmpty
    }

    private static let mostURLs = 1 << 18
    private static let mostBytes = 24 << 20
}
