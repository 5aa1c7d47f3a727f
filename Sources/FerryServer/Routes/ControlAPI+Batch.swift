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
            let results = try await submit(Batch(reading: request))
            return Response(
                status: .ok, headers: [.contentType: MediaType.lines],
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
    private func submit(_ batch: Batch) async throws(TransferError) -> [SubmissionResult] {
        var results = batch.requests.isEmpty ? [] : try await service.submit(batch.requests)
        guard results.count == batch.requests.count else {
            throw TransferError(.internal, "The service answered \(results.count) of \(batch.requests.count) requests.")
        }
        guard !batch.refused.isEmpty else { return results }
        var answers = results.makeIterator()
        results = []
        for index in 0..<batch.count {
            if let error = batch.refused[index] {
                results.append(.refused(error))
            } else if let answer = answers.next() {
                results.append(answer)
            }
        }
        return results
    }
}
