public import Foundation
import Synchronization

/// Posted on the main queue when a download has changed its state or received bytes. The object is its description.
public let DownloadProgressNotification = Notification.Name("Ferry.notification.name.downloadModel.progress")

/// The description and progress of a model's download.
public final class DownloadDescModel: Sendable {
    private struct State {
        var url: String?
        var name: String?
        var task: DownloadTask?
        var hasFailed = false
    }

    private let values = Mutex(State())

    /// The address.
    public var url: String? {
        get { values.withLock(\.url) }
        set { values.withLock { $0.url = newValue } }
    }

    /// The file's name. Nil for a name derived from the address.
    public var name: String? {
        get { values.withLock(\.name) }
        set { values.withLock { $0.name = newValue } }
    }

    /// Size of the whole file in bytes. 0 while unknown.
    public var totalLength: Int { Int(max(0, task?.state.withLock(\.total) ?? 0)) }
    public var receivedSize: Int { Int(task?.state.withLock(\.bytes.received) ?? 0) }
    /// The received fraction, from 0 to 1.
    public var progress: Double {
        let total = totalLength
        return total > 0 ? min(1, Double(receivedSize) / Double(total)) : 0
    }
    public var state: DownloadState {
        let (task, hasFailed) = values.withLock { ($0.task, $0.hasFailed) }
        return task.map { DownloadState($0.status) } ?? (hasFailed ? .failed : .default)
    }

    private var task: DownloadTask? { values.withLock(\.task) }
    var fileName: String? { name.flatMap { $0.isEmpty ? nil : $0 } }

    /// Fails because the address is invalid.
    func fail() {
        values.withLock { $0.hasFailed = true }
        post()
    }

    /// Represents a task from now on, and posts its changes.
    func follow(_ task: DownloadTask) {
        values.withLock { values in
            values.task = task
            values.hasFailed = false
        }
        task.state.withLock { state in
            state.readers.watcher = { [weak self] _ in
                if let self { NotificationCenter.default.post(name: DownloadProgressNotification, object: self) }
            }
        }
    }

    private func post() {
        DispatchQueue.main.call { NotificationCenter.default.post(name: DownloadProgressNotification, object: self) }
    }
}

extension DownloadState {
    /// The state of a model for a task's status.
    init(_ status: Status) {
        switch status {
        case .waiting: self = .waiting
        case .running, .willSuspend, .willCancel, .willRemove: self = .start
        case .suspended: self = .suspended
        case .succeeded: self = .completed
        case .failed: self = .failed
        case .canceled, .removed: self = .default
        }
    }
}

extension String {
    /// Whether this is an http or https URL with a host.
    public var dw_isURL: Bool { (try? address()) != nil }
}

/// One download of a download manager.
public final class DownloadModel: Sendable {
    private let description = Mutex(DownloadDescModel())
    private let own = Mutex<UnsafeTransfer<OutputStream?>>(UnsafeTransfer(value: nil))

    public init() {}

    /// A stream of the app's own. The daemon writes the file itself, and uses no stream.
    public var stream: OutputStream? {
        get { own.withLock { $0 }.value }
        set {
            let given = UnsafeTransfer(value: newValue)
            own.withLock { $0 = given }
        }
    }

    /// The description and progress.
    public var model: DownloadDescModel {
        get { description.withLock { $0 } }
        set { description.withLock { $0 = newValue } }
    }

    /// The state.
    public var states: DownloadState { model.state }
}
