// Ferry: FerryURLSession
// What Ferry tells beyond Apple's URLSession.

import Foundation

/// A task delegate that is also told what its tasks wait for.
@preconcurrency public protocol FerryTaskDelegate: URLSessionTaskDelegate {
    /// The task waits for something else than before; nil: bytes may flow.
    func urlSession(_ session: URLSession, task: URLSessionTask, didChangeWaitingReason reason: WaitingReason?)
}

extension FerryTaskDelegate {
    public func urlSession(_ session: URLSession, task: URLSessionTask, didChangeWaitingReason reason: WaitingReason?) {
        DelegateProbe.markMissing()
    }
}
