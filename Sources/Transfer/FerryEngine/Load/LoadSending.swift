import FerryCore
import NIOCore

/// The body of a request that is not an upload, prepared anew each time the request is sent.
struct LoadSending: Sendable {
    private var body: LoadBody
    private var wasUsed = false

    init(_ body: LoadBody) { self.body = body }

    /// Returns the body from its beginning, or `nil` without a body. A file is the content of an upload.
    ///
    /// - Throws: ``ServiceError`` with Foundation's code for a stream that cannot be rewound.
    mutating func next() async throws(ServiceError) -> RequestBodyStream? {
        defer { wasUsed = true }
        switch body {
        case .none, .file: return nil
        case .bytes(let data): return RequestBodyStream(data)
        case .stream(var source, let length):
            if wasUsed {
                guard let again = try? await source.rewound() else {
                    throw ServiceError(
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
