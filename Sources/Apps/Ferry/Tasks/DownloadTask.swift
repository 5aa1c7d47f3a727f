import FerryCore
import FerryURLSession
public import Foundation
public import FoundationNetworking
import Synchronization

/// One download of a manager. The daemon carries it out, independent of the app's life.
///
/// Created by managers. The same download is the same object as long as one of them knows it. All members may be used
/// on any queue or actor.
public final class DownloadTask: Identifiable, Sendable {
    /// The result of validating the file.
    public enum Validation: Int, Sendable {
        /// Spelled as in Tiercel, so that a `switch` over its three cases is exhaustive.
        case unkown
        case correct, incorrect

        /// The same as `unkown`.
        public static var unknown: Validation { .unkown }
    }

    /// The task's identifier in its manager, the same after a relaunch. `ferry info` and other commands accept it too.
    public struct ID: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Posted when the task has received bytes, at most ten times a second, on the manager's operation queue.
    public static let runningNotification = Notification.Name("Ferry.notification.name.downloadTask.running")
    /// Posted for each change to suspended, failed, canceled, removed or succeeded, on the manager's operation queue.
    public static let didCompleteNotification = Notification.Name("Ferry.notification.name.downloadTask.didComplete")

    public let id: ID
    /// The URL as given, also after redirects.
    public let url: URL
    /// The task's session. Nil for a task that represents a failed call.
    let session: ManagedSession?
    let state: Mutex<TaskState>

    init(_ state: TaskState, url: URL, session: ManagedSession?) {
        id = ID(rawValue: state.note.id)
        self.url = url
        self.session = session
        self.state = Mutex(state)
    }

    /// Returns a task that represents a failed call.
    static func detached(_ status: Status, _ error: FerryError, url: URL? = nil) -> DownloadTask {
        let url = url ?? URL(fileURLWithPath: "/dev/null").blank
        var state = TaskState(
            note: TaskNote(url: url.absoluteString), url: url, folder: "", fileName: "")
        state.stored = status
        state.error = error
        state.waitingReason = nil
        return DownloadTask(state, url: url, session: nil)
    }

    /// The task's manager, while one exists.
    public var manager: SessionManager? { session?.manager }

    // MARK: State

    public var status: Status { state.withLock(\.status) }
    /// Why it waits, or nil in every other state.
    public var waitingReason: WaitingReason? { state.withLock { $0.status == .waiting ? $0.waitingReason : nil } }
    public var validation: Validation { state.withLock(\.validation) }
    /// Why it failed, as a ``FerryError``. `URLError.cancelled` for a task that was suspended, canceled or removed
    /// while running. Otherwise nil.
    public var error: (any Error)? { state.withLock(\.shownError) }
    /// Status and header fields of the latest response.
    public var response: HTTPURLResponse? { state.withLock(\.answer.response).flatMap { ResponseMapping.response($0) } }
    /// Received and expected bytes. The total is -1 while unknown. Always the same object.
    public var progress: Progress { state.withLock { $0.progress() } }

    // MARK: The file

    /// The file's name on disk.
    public var fileName: String { state.withLock(\.file.name) }
    /// The file's present or future path.
    public var filePath: String { state.withLock(\.file.path) }
    /// The extension of the file's name, or nil.
    public var pathExtension: String? {
        let text = (fileName as NSString).pathExtension
        return text.isEmpty ? nil : text
    }
    /// The URL of the last request.
    public var currentURL: URL { state.withLock(\.answer.url) }
    /// The app's metadata, stored with the task.
    public var metadata: [String: String] { state.withLock(\.note.metadata) }
    public var tags: Set<String> { state.withLock(\.asked.tags) }

    // MARK: Times

    /// The first start in seconds since 1970. 0 before.
    public var startDate: Double { state.withLock(\.dates.start) }
    /// The first start as `yyyy-MM-dd HH:mm:ss`. Empty before.
    public var startDateString: String { DateText.text(startDate) }
    /// The end of the latest attempt in seconds since 1970. 0 before.
    public var endDate: Double { state.withLock(\.dates.end) }
    /// The end as `yyyy-MM-dd HH:mm:ss`. Empty before.
    public var endDateString: String { DateText.text(endDate) }
    /// Bytes received in the last second.
    public var speed: Int64 { state.withLock { $0.speed(now: .now) } }
    public var speedString: String { SpeedText.text(speed) }
    /// Seconds until the end at the current speed. 0 if unknown.
    public var timeRemaining: Int64 { state.withLock { $0.timeRemaining(now: .now) } }
    public var timeRemainingString: String { TimeText.text(timeRemaining) }
}

extension DownloadTask: Hashable {
    public static func == (left: DownloadTask, right: DownloadTask) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension URL {
    /// `about:blank`, for a missing URL.
    fileprivate var blank: URL { URL(string: "about:blank") ?? self }
}
