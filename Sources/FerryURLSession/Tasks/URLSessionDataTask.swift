public import Foundation
import Synchronization

/// A task whose result is its bytes.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // SAFETY: as its superclass

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
