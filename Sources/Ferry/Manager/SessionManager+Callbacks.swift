public import Foundation
import Synchronization

extension SessionManager {
    /// Calls a closure when bytes of any task have come, at most ten times a second.
    @discardableResult
    public func progress(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        _ = slots.withLock { $0.set(.progress, onMainQueue: onMainQueue, handler) }
        shared.keep(self)
        return self
    }

    /// Calls a closure once each time that all tasks have succeeded; at once if they have. Not called beside a completion.
    @discardableResult
    public func success(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        register(.success, onMainQueue, handler)
    }

    /// Calls a closure once each time that the manager is suspended, fails, is canceled or removed; at once if it has been.
    /// Not called beside a completion.
    @discardableResult
    public func failure(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        register(.failure, onMainQueue, handler)
    }

    /// Calls a closure once each time that the manager comes to one of these ends, in place of `success` and `failure`.
    @discardableResult
    public func completion(onMainQueue: Bool = true, handler: @escaping Handler<SessionManager>) -> Self {
        register(.completion, onMainQueue, handler)
    }

    /// Whether the app waits for something.
    var hasClosures: Bool {
        slots.withLock { $0.progress != nil || $0.success != nil || $0.failure != nil || $0.completion != nil }
    }

    private func register(
        _ kind: Slots<SessionManager>.Kind, _ onMainQueue: Bool, _ handler: @escaping Handler<SessionManager>
    ) -> Self {
        let slot = slots.withLock { $0.set(kind, onMainQueue: onMainQueue, handler) }
        let status = status
        guard status.isEnd else {
            shared.keep(self)
            return self
        }
        if kind.isFor(status) { shared.deliver(slot, of: self, status: status) }
        return self
    }
}

extension Notification {
    static let taskKey = "Ferry.notification.key.downloadTask"
    static let managerKey = "Ferry.notification.key.sessionManager"

    /// The task that the notification is about.
    public var downloadTask: DownloadTask? { userInfo?[Self.taskKey] as? DownloadTask }
    /// The manager that the notification is about.
    public var sessionManager: SessionManager? { userInfo?[Self.managerKey] as? SessionManager }

    /// The same two under the name that some apps use.
    public var tr: NotificationContents { NotificationContents(notification: self) }

    /// What a notification is about.
    public struct NotificationContents {
        let notification: Notification

        public var downloadTask: DownloadTask? { notification.downloadTask }
        public var sessionManager: SessionManager? { notification.sessionManager }
    }
}
