import FerryCore
import FerryURLSession
public import Foundation
public import FoundationNetworking
import Synchronization

/// One download of a manager; the daemon carries it, whatever becomes of the app.
///
/// Managers make tasks; the same download is the same object as long as one of them knows it. All members may be used on any
/// queue or actor.
public final class DownloadTask: Identifiable, Sendable {
    /// Whether the file is the one that was expected.
    public enum Validation: Int, Sendable {
        /// Spelled as in Tiercel, so that a `switch` over its three cases has all of them.
        case unkown
        case correct, incorrect

        /// The same as `unkown`.
        public static var unknown: Validation { .unkown }
    }

    /// The identifier of the task in its manager, the same after a relaunch. `ferry info` and the other commands take it too.
    public struct ID: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Posted when the task has received bytes, at most ten times a second, on the manager's operation queue.
    public static let runningNotification = Notification.Name("Ferry.notification.name.downloadTask.running")
    /// Posted once for each change to suspended, failed, canceled, removed or succeeded, on the manager's operation queue.
    public static let didCompleteNotification = Notification.Name("Ferry.notification.name.downloadTask.didComplete")

    public let id: ID
    /// The URL as it was given, also after redirects.
    public let url: URL
    /// The session that the task belongs to; nil for a task that stands for a call that could not be made.
    let session: ManagedSession?
    let state: Mutex<TaskState>

    init(_ state: TaskState, url: URL, session: ManagedSession?) {
        id = ID(rawValue: state.note.id)
        self.url = url
        self.session = session
        self.state = Mutex(state)
    }

    /// A task that stands for a call that could not be made.
    static func detached(_ status: Status, _ error: FerryError, url: URL? = nil) -> DownloadTask {
        let url = url ?? URL(fileURLWithPath: "/dev/null").blank
        var state = TaskState(
            note: TaskNote(url: url.absoluteString), url: url, folder: "", fileName: "")
        state.stored = status
        state.error = error
        state.waitingReason = nil
        return DownloadTask(state, url: url, session: nil)
    }

    /// The manager that the task belongs to, while one is there.
    public var manager: SessionManager? { session?.manager }

    // MARK: State

    public var status: Status { state.withLock(\.status) }
    /// Why it waits; nil in every other state.
    public var waitingReason: WaitingReason? { state.withLock { $0.status == .waiting ? $0.waitingReason : nil } }
    public var validation: Validation { state.withLock(\.validation) }
    /// Why it failed, as a ``FerryError``; `URLError.cancelled` in a task that was suspended, canceled or removed while it ran; nil
    /// in every other one.
    public var error: (any Error)? { state.withLock(\.shownError) }
    /// Status and fields of the latest response.
    public var response: HTTPURLResponse? { state.withLock(\.answer.response).flatMap { ResponseMapping.response($0) } }
    /// Received and expected bytes; the total is -1 until it is known. The same object each time.
    public var progress: Progress { state.withLock { $0.progress() } }

    // MARK: The file

    /// The name of the file, as it is on disk.
    public var fileName: String { state.withLock(\.file.name) }
    /// Where the file is, or will be.
    public var filePath: String { state.withLock(\.file.path) }
    /// The extension of the file's name; nil if it has none.
    public var pathExtension: String? {
        let text = (fileName as NSString).pathExtension
        return text.isEmpty ? nil : text
    }
    /// The URL that was asked last.
    public var currentURL: URL { state.withLock(\.answer.url) }
    /// What the app keeps with the task.
    public var metadata: [String: String] { state.withLock(\.note.metadata) }
    public var tags: Set<String> { state.withLock(\.asked.tags) }

    // MARK: Times

    /// Seconds since 1970 at which it first ran; 0 before.
    public var startDate: Double { state.withLock(\.dates.start) }
    /// The start as `yyyy-MM-dd HH:mm:ss`; empty before.
    public var startDateString: String { DateText.text(startDate) }
    /// Seconds since 1970 at which the latest attempt ended; 0 before.
    public var endDate: Double { state.withLock(\.dates.end) }
    /// The end as `yyyy-MM-dd HH:mm:ss`; empty before.
    public var endDateString: String { DateText.text(endDate) }
    /// Bytes of the last second.
    public var speed: Int64 { state.withLock { $0.speed(now: .now) } }
    public var speedString: String { SpeedText.text(speed) }
    /// Seconds until the end at this speed; 0 if that is not known.
    public var timeRemaining: Int64 { state.withLock { $0.timeRemaining(now: .now) } }
    public var timeRemainingString: String { TimeText.text(timeRemaining) }
}

extension DownloadTask: Hashable {
    public static func == (left: DownloadTask, right: DownloadTask) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension URL {
    /// `about:blank`, where there is no URL to name.
    fileprivate var blank: URL { URL(string: "about:blank") ?? self }
}
