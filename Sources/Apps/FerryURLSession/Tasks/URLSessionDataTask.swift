import FerryCore
public import Foundation
import FoundationNetworking
import Synchronization

/// A task that returns the content in memory.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // SAFETY: as its superclass

extension URLSessionDataTask {
    /// The current request with the fields that the session sends. A cache finds the response by it.
    var requestForCache: URLRequest? {
        guard var request = currentRequest else { return nil }
        guard let session else { return request }
        let fields = RequestFieldMapping.fields(request, session.acting.copied, acceptsEncodings: true)
        request.allHTTPHeaderFields = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        return request
    }
}

/// A task that downloads to a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {  // SAFETY: as its superclass
    /// Cancels the task and produces resume data; nil if the server does not support resuming.
    ///
    /// - Parameter completionHandler: Called once, on any queue. The task then completes with `URLError.cancelled` and
    ///   the same data.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        stop(completionHandler)
    }

    /// Cancels the task and returns resume data; nil if the server does not support resuming.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}

/// A task that uploads a body.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {  // SAFETY: as its superclass
    /// Cancels the task and produces resume data; nil for streams and if the server does not support resumable uploads.
    ///
    /// - Parameter completionHandler: Called once, on any queue. The task then completes with `URLError.cancelled` and
    ///   the same data.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        stop(completionHandler)
    }

    /// Cancels the task and returns resume data; nil for streams and if the server does not support resumable uploads.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}

extension URLSessionTask {
    /// Cancels the task and produces resume data.
    fileprivate func stop(_ completionHandler: @escaping @Sendable (Data?) -> Void) {
        guard storage.withLock({ $0.ledger.cancelled() }) == .cancel, let transport = readyTransport() else {
            return completionHandler(nil)
        }
        transport.cancelProducingResumeData(completionHandler)
    }
}
