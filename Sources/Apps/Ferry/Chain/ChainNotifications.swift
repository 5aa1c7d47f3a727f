public import Foundation

extension Notification.Name {
    /// Names of notifications about chain requests, posted on the manager's operation queue.
    ///
    /// The object is the ``Request``, and the value of ``Foundation/Notification/Key/Task`` its task.
    public enum Task {
        /// The request was resumed or started.
        public static let DidResume = Notification.Name("Ferry.notification.name.task.didResume")
        public static let DidSuspend = Notification.Name("Ferry.notification.name.task.didSuspend")
        public static let DidCancel = Notification.Name("Ferry.notification.name.task.didCancel")
        /// The request has its result. Posted before its handlers are called.
        public static let DidComplete = Notification.Name("Ferry.notification.name.task.didComplete")
    }
}

extension Notification {
    /// Keys of notifications about chain requests.
    public enum Key {
        /// A `URLSessionTask`.
        public static let Task = "Ferry.notification.key.task"
    }
}

extension Request {
    /// Posts a notification on the operation queue.
    func post(_ name: Notification.Name) { shared?.deliveries.add(.own) { self.postNow(name) } }

    /// Posts a notification. Called on the operation queue.
    func postNow(_ name: Notification.Name) {
        var info: [AnyHashable: Any] = [:]
        info[Notification.Key.Task] = task
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }
}
