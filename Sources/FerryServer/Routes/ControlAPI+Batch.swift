// Ferry: FerryServer
// The route that adds many transfers.

import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addBatchRoute(to router: Router<BasicRequestContext>) {
        router.respond(to: AddTransfers.self) { request, _ in
            try request.hasNoQuery()
            let (results, last) = try await submit(Batch(reading: request))
            var headers: HTTPFields = [.contentType: MediaType.lines]
            headers[.ferryLastEvent] = last.map(String.init)
            return Response(
                status: .ok, headers: headers,
                body: ResponseBody { writer in
                    var buffer = ByteBuffer()
                    for result in results {
                        try JSONLine.append(result, to: &buffer)
                        guard buffer.readableBytes >= 64 << 10 else { continue }
                        try await writer.write(buffer)
                        buffer.clear()
                    }
                    try await writer.write(buffer)
                    try await writer.finish(nil)
                })
        }
    }

    /// Submits the lines that could be read, and puts the results where their lines were.
    ///
    /// - Returns: The results, and the number of a durable event before all of theirs.
    private func submit(_ batch: Batch) async throws(TransferError) -> (results: [SubmissionResult], last: Int64?) {
        let answered = batch.requests.isEmpty ? nil : try await service.submitNumbered(batch.requests)
        var results = answered?.results ?? []
        guard results.count == batch.requests.count else {
            throw TransferError(.internal, "The service answered \(results.count) of \(batch.requests.count) requests.")
        }
        guard !batch.refused.isEmpty else { return (results, answered?.after) }
        var answers = results.makeIterator()
        results = []
        for index in 0..<batch.count {
            if let error = batch.refused[index] {
                results.append(.refused(error))
            } else if let answer = answers.next() {
                results.append(answer)
            }
        }
        return (results, answered?.after)
    }
}
