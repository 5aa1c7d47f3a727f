import FerryCore
public import Foundation
import FoundationNetworking
import Synchronization

/// A task whose result is its bytes.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // SAFETY: as its superclass

extension URLSessionDataTask {
    /// The current request with the fields that the session sends, by which a cache finds its response.
    var requestForCache: URLRequest? {
        guard var request = currentRequest else { return nil }
        guard let session else { return request }
        let fields = RequestFieldMapping.fields(request, session.acting.copied, acceptsEncodings: true)
        request.allHTTPHeaderFields = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        return request
    }
}

/// A task whose result is a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {  // SAFETY: as its superclass
    /// Ends the task and gives what a later one needs to go on; nil where the server allows no continuation.
    ///
    /// - Parameter completionHandler: called once, on any queue; the task then completes with `URLError.cancelled` and the
    ///   same data.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        stop(completionHandler)
    }

    /// Ends the task and returns what a later one needs to go on; nil where the server allows no continuation.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}

/// A task that sends a body.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {  // SAFETY: as its superclass
    /// Ends the task and gives what a later one needs to go on; nil where the server cannot resume uploads, and for streams.
    ///
    /// - Parameter completionHandler: called once, on any queue; the task then completes with `URLError.cancelled` and the
    ///   same data.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        stop(completionHandler)
    }

    /// Ends the task and returns what a later one needs to go on; nil where the server cannot resume uploads, and for streams.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}

extension URLSessionTask {
    /// Ends the task and gives what a later one needs to go on.
    fileprivate func stop(_ completionHandler: @escaping @Sendable (Data?) -> Void) {
        guard storage.withLock({ $0.ledger.cancelled() }) == .cancel, let transport = readyTransport() else {
            return completionHandler(nil)
        }
        transport.cancelProducingResumeData(completionHandler)
    }
}
