package import FerryCore
import FerryEngine
import Foundation

/// Submission. Every submission is handled as a batch.
extension LocalTransferService {
    package func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        try checkIsOpen()
        let last = try await lastEvent()
        guard !requests.isEmpty else { return NumberedResults(results: [], after: last) }
        let accepted = try await accept(TransferBatch(requests), refusesPlaces: true)
        let results = accepted.results.map { result -> SubmissionResult in
            guard let id = result.id, let shown = accepted.shown[id] else {
                return .refused(result.error ?? ServiceError(.internal, "The request has no result."))
            }
            return .accepted(shown)
        }
        return NumberedResults(results: results, after: last)
    }

    package func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        guard let template = batch.templates.first else {
            throw ServiceError(.invalidRequest, "A batch has at least one template.")
        }
        let session = template.session
        guard batch.templates.allSatisfy({ $0.session == session }) else {
            throw ServiceError(.invalidRequest, "All templates of a batch must belong to one session.")
        }
        if case .lines(let urls) = batch.items { return try await submit(urls, of: template) }
        let starts = try await inspect(batch.starts ?? [], of: session)
        let report = try await accept(batch, starting: starts, refusesPlaces: false).report
        if starts != nil { await consider(session) }
        return report
    }
}
