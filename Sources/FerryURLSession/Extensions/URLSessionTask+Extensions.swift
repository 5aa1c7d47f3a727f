import FerryCore
import Foundation
public import FoundationNetworking
import Synchronization

extension URLSessionTask {
    /// Bytes per second of this task, over any 5 s; nil is no limit. May be changed while it runs.
    public var bytesPerSecondLimit: Int64? {
        get { options.bytesPerSecondLimit }
        set { change { $0.bytesPerSecondLimit = newValue } }
    }

    /// Texts of the app's own, at most 64 KiB in all; they survive a relaunch.
    public var metadata: [String: String] {
        get { options.metadata }
        set {
            let size = newValue.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
            precondition(size <= 64 << 10, "The metadata of a task have at most 64 KiB.")
            change { $0.metadata = newValue }
        }
    }

    /// When the task is tried again; nil is the usual way of background sessions.
    public var retryPolicy: RetryPolicy? {
        get { options.retryPolicy }
        set { change { $0.retryPolicy = newValue } }
    }

    /// What the task waits for, though it was resumed; nil while bytes may flow.
    public var waitingReason: WaitingReason? { storage.withLock(\.waitingReason) }

    /// Replaces URL and fields of a task that has not ended, as for a signed URL that has expired.
    ///
    /// Bytes are kept if the new answer is the same resource.
    ///
    /// - Throws: `TransferError` `request_not_replaceable` for a completed task or another method than GET.
    public func updateRequest(_ request: URLRequest) throws {
        let method = originalRequest?.httpMethod ?? "GET"
        guard state != .completed, state != .canceling, method == "GET", request.httpMethod ?? "GET" == "GET" else {
            throw TransferError(
                ServiceError(
                    .requestNotReplaceable,
                    "The request of a completed task, or of one that is no GET, cannot be replaced."
                ))
        }
        storage.withLock { $0.currentRequest = request }
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

/// What a task carries beyond Apple's `URLSession`: plain data that is stored with the task.
struct TaskOptions: Sendable, Codable, Hashable {
    var destination: URLSessionDownloadTask.Destination?
    var expectedDigest: URLSessionDownloadTask.Digest?
    var mirrors: [URL] = []
    var maximumConnections = 1
    var bytesPerSecondLimit: Int64?
    var metadata: [String: String] = [:]
    var retryPolicy: RetryPolicy?
}
