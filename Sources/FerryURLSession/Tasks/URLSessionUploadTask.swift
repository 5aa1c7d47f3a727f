// Ferry: FerryURLSession
// A task that sends a body.

public import Foundation

/// A task that sends a body.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {  // SAFETY: as its superclass
    /// Ends the task. Resumable uploads are not offered: the data are always nil.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel()
        completionHandler(nil)
    }

    /// Ends the task. Resumable uploads are not offered: the data are always nil.
    open func cancelByProducingResumeData() async -> Data? {
        cancel()
        return nil
    }
}
