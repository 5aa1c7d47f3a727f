import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addBatchRoute(to router: OfferedRoutes) {
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

    /// Submits the readable lines and returns the results in the order of all lines.
    ///
    /// - Returns: The results, and the number of a durable event before all of theirs.
    private func submit(_ batch: Batch) async throws(ServiceError) -> (results: [SubmissionResult], last: Int64?) {
        let answered = batch.requests.isEmpty ? nil : try await service.submitNumbered(batch.requests)
        var results = answered?.results ?? []
        guard results.count == batch.requests.count else {
            throw ServiceError(
                .internal, "The service returned \(results.count) results for \(batch.requests.count) requests.")
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

/// The lines of a batch, parsed as they arrive.
struct Batch {
    private(set) var requests: [TransferRequest] = []
    /// Errors of unreadable lines, by index among the non-empty lines.
    private(set) var refused: [Int: ServiceError] = [:]
    private var line = 0

    /// Number of non-empty lines.
    var count: Int { requests.count + refused.count }

    init(reading request: Request) async throws {
        var splitter = LineSplitter()
        try await request.readBody(as: MediaType.lines, upTo: BodyLimit.batch) { part in
            for bytes in splitter.append(part.readableBytesView) { take(bytes) }
        }
        if let bytes = splitter.finish() { take(bytes) }
    }

    private mutating func take(_ bytes: Data) {
        line += 1
        guard !bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") })
        else { return }
        do throws(ServiceError) {
            guard bytes.count <= BodyLimit.value else {
                throw ServiceError(.invalidRequest, "The line has more than \(BodyLimit.value >> 20) MiB.")
            }
            requests.append(try BodyDecoder.decode(TransferRequest.self, from: bytes))
        } catch {
            refused[count] = ServiceError(error.code, "Line \(line): \(error.message)", details: error.details)
        }
    }
}
