// Ferry: Ferry
// What a notification is about.

public import Foundation

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
