import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Delivers one task's events to its delegate on the session's delegate queue: in order, each after the previous call
/// has returned, and with exactly one completion.
///
/// The task's properties reflect an event before its call (docs/behaviour/url-session.md#37). A slow delegate holds
/// back a transport that awaits a call. Steps that are not awaited, such as progress, are merged into one call with the
/// latest numbers.
final class TaskRelay: Sendable {
    let task: URLSessionTask
    let session: URLSession
    let calls: DelegateCalls
    let line: RelayQueue
    let question = OpenQuestion()
    let lastCall = LastCall()

    init(_ task: URLSessionTask, of session: URLSession) {
        self.task = task
        self.session = session
        let calls = DelegateCalls(queue: session.delegateQueue)
        self.calls = calls
        line = RelayQueue { step in await Self.notify(step, task, session, calls) }
    }

    // MARK: Delivery

    /// Shows a step. Its call of the delegate follows those of earlier steps.
    func show(_ step: TaskStep) {
        switch step {
        case .request(let url, let method):
            guard var request = task.currentRequest, let url = URL(string: url) else { return }
            request.url = url
            if let method { request.httpMethod = method }
            currentRequest(request)
        case .response(let facts):
            if let response = ResponseMapping.response(facts) { responseKnown(response) }
        case .sent, .wrote, .resumed, .informational, .waitsForConnectivity, .waiting: line.add(step)
        }
    }

    func currentRequest(_ request: URLRequest) { task.storage.withLock { $0.requests.current = request } }

    /// Sets the task's response without a delegate call. A task that was canceled keeps what it has.
    func responseKnown(_ response: URLResponse) {
        task.storage.withLock { storage in
            guard ![.canceling, .completed].contains(storage.ledger.state) else { return }
            storage.response = response
            storage.counts.expectedToReceive = response.expectedContentLength
        }
    }

    private static func notify(
        _ step: TaskStep, _ task: URLSessionTask, _ session: URLSession, _ calls: DelegateCalls
    ) async {
        // No call follows the completion (docs/behaviour/url-session.md#35).
        guard task.reportedState != .completed else { return }
        switch step {
        case .sent(let total, let expected):
            let before = task.note(sent: total, expected: expected)
            guard total > before else { return }
            await calls.run {
                Recipients(task, session).notify((any URLSessionTaskDelegate).self) {
                    $0.urlSession(
                        session, task: task, didSendBodyData: total - before, totalBytesSent: total,
                        totalBytesExpectedToSend: expected)
                }
            }
        case .wrote(let total, let expected):
            let before = task.note(received: total, expected: expected)
            guard total > before, task.handlerTakes == false, let download = task as? URLSessionDownloadTask else {
                return
            }
            await calls.run {
                Recipients(task, session).notify((any URLSessionDownloadDelegate).self) {
                    $0.urlSession(
                        session, downloadTask: download, didWriteData: total - before, totalBytesWritten: total,
                        totalBytesExpectedToWrite: expected)
                }
            }
        case .resumed(let offset, let expected):
            _ = task.note(received: offset, expected: expected)
            guard task.handlerTakes == false, let download = task as? URLSessionDownloadTask else { return }
            await calls.run {
                Recipients(task, session).notify((any URLSessionDownloadDelegate).self) {
                    $0.urlSession(
                        session, downloadTask: download, didResumeAtOffset: offset, expectedTotalBytes: expected)
                }
            }
        case .informational(let response):
            await calls.run {
                Recipients(task, session).notify((any URLSessionTaskDelegate).self) {
                    $0.urlSession(session, task: task, didReceiveInformationalResponse: response)
                }
            }
        case .waitsForConnectivity:
            await calls.run {
                Recipients(task, session).notify((any URLSessionTaskDelegate).self) {
                    $0.urlSession(session, taskIsWaitingForConnectivity: task)
                }
            }
        case .waiting(let reason):
            let hasChanged = task.storage.withLock { storage in
                defer { storage.waitingReason = reason }
                return storage.waitingReason != reason
            }
            guard hasChanged else { return }
            await calls.run {
                Recipients(task, session).notify((any FerryTaskDelegate).self) {
                    $0.urlSession(session, task: task, didChangeWaitingReason: reason)
                }
            }
        case .request, .response: break
        }
    }
}
