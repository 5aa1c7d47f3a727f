// Ferry: FerryURLSession
// A task whose result is its bytes.

/// A task whose result is its bytes.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // SAFETY: as its superclass
