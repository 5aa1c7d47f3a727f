public import Foundation
import Synchronization

extension SessionManager {
    /// Calls a closure when bytes of any task have arrived, at most ten times a second.
    @discardableResult
    public func progress(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        _ = slots.withLock { $0.set(.progress, onMainQueue: onMainQueue, handler) }
        shared.keep(self)
        return self
    }

    /// Calls a closure each time all tasks have succeeded, and immediately if they have. Not called if there is a
    /// completion.
    @discardableResult
    public func success(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        register(.success, onMainQueue, handler)
    }

    /// Calls a closure each time the manager becomes suspended, failed, canceled or removed, and immediately if it is.
    /// Not called if there is a completion.
    @discardableResult
    public func failure(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        register(.failure, onMainQueue, handler)
    }

    /// Calls a closure each time the manager reaches one of these states, instead of `success` and `failure`.
    @discardableResult
    public func completion(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        register(.completion, onMainQueue, handler)
    }

    /// Whether the app has registered closures.
    var hasClosures: Bool {
        slots.withLock { $0.progress != nil || $0.success != nil || $0.failure != nil || $0.completion != nil }
    }

    private func register(
        _ kind: Slots<SessionManager>.Kind, _ onMainQueue: Bool, _ handler: @escaping Handler<SessionManager>
    ) -> Self {
        // Otherwise, an end that is being processed could call the new closure a second time.
        let isEnd = shared.betweenChanges { status in
            let slot = slots.withLock { $0.set(kind, onMainQueue: onMainQueue, handler) }
            if status.isEnd, kind.isFor(status) { shared.deliver(slot, of: self, status: status) }
            return status.isEnd
        }
        if !isEnd { shared.keep(self) }
        return self
    }
}

extension Notification {
    static let taskKey = "Ferry.notification.key.downloadTask"
    static let managerKey = "Ferry.notification.key.sessionManager"

    /// The notification's task.
    public var downloadTask: DownloadTask? { userInfo?[Self.taskKey] as? DownloadTask }
    /// The notification's manager.
    public var sessionManager: SessionManager? { userInfo?[Self.managerKey] as? SessionManager }

    /// Both, under the name that some apps use.
    public var tr: NotificationContents { NotificationContents(notification: self) }

    /// The notification's subject.
    public struct NotificationContents {
        let notification: Notification

        public var downloadTask: DownloadTask? { notification.downloadTask }
        public var sessionManager: SessionManager? { notification.sessionManager }
    }
}
