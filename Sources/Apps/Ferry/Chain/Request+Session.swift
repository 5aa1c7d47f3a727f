public import BackgroundURLSession
import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// A request as the task of a session, and the calls of its manager's delegate.
extension Request {
    /// The session of the request's manager, also after the manager is released.
    public var session: URLSession { knownSession ?? .shared }

    private var knownSession: URLSession? { manager?.session ?? state.withLock(\.hooks).session }

    /// The request as a task of ``session``, in its current state. Nil before it was created. A retried request has
    /// another one.
    public var task: URLSessionTask? { shownTask }

    /// Metrics of the requests. Nil before the first has finished.
    public var metrics: URLSessionTaskMetrics? {
        let (created, task) = state.withLock { ($0.created, $0.task) }
        let exchanges = task.state.withLock(\.answer.exchanges)
        guard !exchanges.isEmpty else { return nil }
        return URLSessionTaskMetrics(exchanges, interval: DateInterval(start: created, end: max(Date(), created)))
    }

    /// The manager that created the request, or another one with its identifier.
    var manager: SessionManager? { state.withLock(\.hooks).manager ?? shared?.manager }

    /// Whether a task represents this request.
    func shows(_ task: URLSessionTask) -> Bool { state.withLock(\.shown) === task }

    var shownTask: URLSessionDownloadTask? {
        let (task, known, ending) = state.withLock { ($0.task, $0.shown, $0.ending.shown) }
        guard let shared, task.session != nil, let session = knownSession else { return known }
        var shown = shared.shown(task)
        shown.ending = ending
        let made = session.task(showing: shown, known: known)
        state.withLock { if $0.task === task { $0.shown = made } }
        return made
    }

    // MARK: The delegate

    /// Notifies the delegate of received bytes. Called on the operation queue.
    func wrote() {
        guard let manager else { return }
        let (wrote, resumed) = (
            manager.delegate.downloadTaskDidWriteData, manager.delegate.downloadTaskDidResumeAtOffset
        )
        guard wrote != nil || resumed != nil, let task = shownTask else { return }
        let (received, total, startedOver) = downloadTask.state.withLock {
            ($0.bytes.received, $0.total, $0.bytes.startedOver)
        }
        let (offset, before) = state.withLock { state in
            defer {
                state.reported.offset = nil
                state.reported.bytes = received
            }
            let offset = startedOver == 0 ? state.reported.offset : nil
            return (offset, offset ?? (received < state.reported.bytes ? 0 : state.reported.bytes))
        }
        if let offset { resumed?(manager.session, task, offset, total) }
        if received > before { wrote?(manager.session, task, received - before, received, total) }
    }

    /// Notifies the delegate of the completion. Called on the operation queue.
    func completed(_ error: (any Error)?) {
        postNow(Notification.Name.Task.DidComplete)
        guard let manager else { return }
        let (reported, measured) = (manager.delegate.taskDidComplete, manager.delegate.taskDidFinishCollectingMetrics)
        guard reported != nil || measured != nil, let task = shownTask else { return }
        if let measured, let metrics { measured(manager.session, task, metrics) }
        reported?(manager.session, task, error)
    }
}

/// The bytes last reported to the delegate.
struct ReportedBytes {
    var bytes: Int64 = 0
    /// The offset of a resumed download. Nil once reported, and for a download from byte 0.
    var offset: Int64?
}
