import FerryCore
import Foundation
public import FoundationNetworking
import Synchronization

extension URLSessionTask {
    /// The task's rate limit in bytes per second, averaged over 5 s; nil is no limit. May be changed while the task
    /// runs.
    public var bytesPerSecondLimit: Int64? {
        get { options.bytesPerSecondLimit }
        set { change { $0.bytesPerSecondLimit = newValue } }
    }

    /// The app's own texts, at most 64 KiB in total. They survive a relaunch.
    public var metadata: [String: String] {
        get { options.metadata }
        set {
            let size = newValue.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
            precondition(size <= 64 << 10, "The metadata of a task have at most 64 KiB.")
            change { $0.metadata = newValue }
        }
    }

    /// The retry policy; nil is the default policy of background sessions.
    public var retryPolicy: RetryPolicy? {
        get { options.retryPolicy }
        set { change { $0.retryPolicy = newValue } }
    }

    /// The reason why a resumed task waits; nil while data may flow.
    public var waitingReason: WaitingReason? { storage.withLock(\.waitingReason) }

    /// Replaces the URL and fields of an incomplete task, for example after a signed URL has expired.
    ///
    /// Received bytes are kept if the new response is for the same resource.
    ///
    /// - Throws: `TransferError` `request_not_replaceable` for a completed task or a method other than GET.
    public func updateRequest(_ request: URLRequest) throws {
        let method = originalRequest?.httpMethod ?? "GET"
        guard state != .completed, state != .canceling, method == "GET", request.httpMethod ?? "GET" == "GET" else {
            throw TransferError(
                ServiceError(
                    .requestNotReplaceable,
                    "The request of a completed task, or of one that is no GET, cannot be replaced."
                ))
        }
        storage.withLock { ($0.requests.current, $0.requests.replacement) = (request, request) }
        transport?.update(.request(request))
    }

    var options: TaskOptions { storage.withLock { $0.options ?? TaskOptions() } }

    func change(_ body: (inout TaskOptions) -> Void) {
        let options = storage.withLock { storage in
            var options = storage.options ?? TaskOptions()
            body(&options)
            storage.options = options
            return options
        }
        transport?.update(.options(options))
    }
}

/// A task delegate that is also notified of waiting reasons.
@preconcurrency public protocol FerryTaskDelegate: URLSessionTaskDelegate {
    /// The task's waiting reason has changed; nil means that data may flow.
    func urlSession(_ session: URLSession, task: URLSessionTask, didChangeWaitingReason reason: WaitingReason?)
}

extension FerryTaskDelegate {
    public func urlSession(_ session: URLSession, task: URLSessionTask, didChangeWaitingReason reason: WaitingReason?) {
        DelegateProbe.markMissing()
    }
}

/// A task's options beyond Apple's `URLSession`, stored with the task.
struct TaskOptions: Sendable, Codable, Hashable {
    var destination: URLSessionDownloadTask.Destination?
    var expectedDigest: URLSessionDownloadTask.Digest?
    var mirrors: [URL] = []
    var maximumConnections = 1
    var bytesPerSecondLimit: Int64?
    var metadata: [String: String] = [:]
    var retryPolicy: RetryPolicy?
}
