// Ferry: FerryServer
// Reading a list of URLs.

import FerryAPI
import FerryCore
import Foundation
import Hummingbird
import NIOCore

extension Request {
    /// A body whose first line is a request without URL, and each further line a URL.
    ///
    /// - Throws: ``TransferError`` with code `invalid_request` if the first line is no request.
    func list() async throws -> TransferBatch {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(headers[.contentLength].flatMap { Int($0) } ?? 0, BodyLimit.list))
        try await readBody(as: MediaType.text, upTo: BodyLimit.list) { part in
            bytes.append(contentsOf: part.readableBytesView)
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        guard end <= BodyLimit.value else {
            throw TransferError(.invalidRequest, "The line has more than \(BodyLimit.value >> 20) MiB.")
        }
        let template = try BodyDecoder.decode(TransferRequest.self, from: Data(bytes[..<end]))
        return TransferBatch(template: template, urls: URLLines(bytes, from: end + 1))
    }
}
