// Ferry: FerryServer
// Reading a batch of requests.

import FerryAPI
import FerryCore
import Foundation
import Hummingbird
import NIOCore

/// The lines of a batch, read as they arrive.
struct Batch {
    private(set) var requests: [TransferRequest] = []
    /// Errors of the lines that could not be read, by the place of the line among those that are not empty.
    private(set) var refused: [Int: TransferError] = [:]
    private var line = 0

    /// Lines that are not empty.
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
        do throws(TransferError) {
            guard bytes.count <= BodyLimit.value else {
                throw TransferError(.invalidRequest, "The line has more than \(BodyLimit.value >> 20) MiB.")
            }
            requests.append(try BodyDecoder.decode(TransferRequest.self, from: bytes))
        } catch {
            refused[count] = TransferError(error.code, "Line \(line): \(error.message)", details: error.details)
        }
    }
}
