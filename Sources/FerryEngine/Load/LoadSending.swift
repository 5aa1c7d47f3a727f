import FerryCore
import NIOCore

/// The body of a request, made ready as often as the request is sent.
struct LoadSending: Sendable {
    private var body: LoadBody
    private var wasUsed = false

    init(_ body: LoadBody) { self.body = body }

    /// The body from its beginning; nil if there is none.
    ///
    /// - Throws: ``TransferError`` with Foundation's code for a file that cannot be sent or a stream that cannot begin again.
    mutating func next(disk: DiskQueue) async throws(TransferError) -> RequestBodyStream? {
        defer { wasUsed = true }
        switch body {
        case .none: return nil
        case .bytes(let data): return RequestBodyStream(data)
        case .file(let path):
            let opened = await disk.result { _ throws(DiskError) in
                Result { () throws(TransferError) in try SentFile(path: path) }
            }
            switch opened {
            case .success(let file): return RequestBodyStream(try file.get(), disk: disk)
            case .failure(let error): throw error.transferError
            }
        case .stream(var source, let length):
            if wasUsed {
                guard let again = try? await source.rewound() else {
                    throw TransferError(
                        .invalidRequest, "The request has to be sent again, and its body cannot be read again.",
                        details: ErrorDetails(urlError: -1021))
                }
                source = again
                body = .stream(again, length: length)
            }
            let current = source
            return RequestBodyStream(length: length) { try await current.next().map { ByteBuffer(bytes: $0) } }
        }
    }
}
