// Ferry: FerryCommands
// Handing a list of URLs over.

import FerryCore

/// Hands URLs over that differ in nothing else, as few lists as the daemon's memory allows, each in one transaction.
struct ListSubmission {
    let template: TransferRequest
    let urls: [String]

    /// What became of a list that is durable.
    struct Handover {
        /// The ids of all that were accepted, in the order of the URLs.
        let ids: [TransferID]
        let refused: [(url: String, error: TransferError)]
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
            let report = try await service.submit(TransferList(template: template, urls: URLLines(some)))
            guard report.count == some.count else {
                throw TransferError(.internal, "The daemon answered \(report.count) of \(some.count) URLs.")
            }
            onList(Handover(ids: report.ids, refused: Self.refused(report, some)))
        }
    }

    private static func refused(
        _ report: TransferList.Report, _ urls: ArraySlice<String>
    ) -> [(url: String, error: TransferError)] {
        var refused: [(url: String, error: TransferError)] = []
        var index = urls.startIndex
        for run in report.runs {
            let end = index + run.count
            if let error = run.error { refused += urls[index..<end].map { ($0, error) } }
            index = end
        }
        return refused
    }

    private static let mostURLs = 1 << 18
    private static let mostBytes = 24 << 20
}
