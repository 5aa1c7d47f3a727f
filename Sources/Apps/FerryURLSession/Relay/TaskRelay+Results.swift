import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Delivery of a task's data, file and completion.
extension TaskRelay {
    /// Delivers a part of the body. Returns when it has been handled.
    func data(_ data: Data) async {
        let (session, task, calls) = (session, task, calls)
        await line.perform {
            guard task.reportedState != .completed else { return }
            task.storage.withLock { $0.counts.received += Int64(data.count) }
            task.moveProgress()
            switch task.handler {
            case .bytes(let channel): await channel.add(data)
            case .data: task.storage.withLock { $0.collected.append(data) }
            case .file, .keptFile: break
            case nil:
                guard let dataTask = task as? URLSessionDataTask else { return }
                await calls.run {
                    Recipients(task, session).notify((any URLSessionDataDelegate).self) {
                        $0.urlSession(session, dataTask: dataTask, didReceive: data)
                    }
                }
            }
        }
    }

    /// Delivers a file. Returns when the delegate has handled it.
    ///
    /// - Returns: Whether the file stays, because a `.keptFile` handler has taken it over.
    @discardableResult
    func finished(_ file: URL) async -> Bool {
        let (session, task, calls) = (session, task, calls)
        return await line.perform {
            guard task.reportedState != .completed else { return false }
            switch task.handler {
            case .file(let handler):
                let response = task.response
                task.storage.withLock { storage in
                    storage.handler = nil
                    storage.hasDelivered = true
                }
                await calls.run { handler(file, response, nil) }
                return false
            case .keptFile(let handler):
                let response = task.response
                task.storage.withLock { storage in
                    storage.handler = nil
                    storage.hasDelivered = true
                }
                handler(file, response, nil)
                return true
            case .data, .bytes: return false
            case nil:
                guard let download = task as? URLSessionDownloadTask else { return false }
                await calls.run {
                    Recipients(task, session).notify((any URLSessionDownloadDelegate).self) {
                        $0.urlSession(session, downloadTask: download, didFinishDownloadingTo: file)
                    }
                }
                return false
            }
        }
    }

    /// Delivers a temporary file of this process and removes it later: after a completion handler has returned, or with
    /// the task if a delegate receives it. Some libraries read the file after the completion.
    func finishedTemporary(_ file: URL) async {
        let isDelegates = task.handler == nil
        guard await !finished(file) else { return }
        if isDelegates {
            task.storage.withLock { $0.leftFile = TemporaryFile(file.path) }
        } else {
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Reports that a data task has become a download. The data task has ended.
    func becameDownload(_ download: URLSessionDownloadTask) async {
        let (session, task, calls) = (session, task, calls)
        await line.perform {
            guard let dataTask = task as? URLSessionDataTask,
                task.storage.withLock({ $0.ledger.completed() })
            else { return }
            await calls.run {
                Recipients(task, session).notify((any URLSessionDataDelegate).self) {
                    $0.urlSession(session, dataTask: dataTask, didBecome: download)
                }
            }
            task.storage.withLock { $0.release() }
            session.ended(task)
        }
    }

    /// Hands the task's connection over to the app by a last call. No completion follows.
    func captured(_ call: @escaping @Sendable () -> Void) async {
        let (session, task, calls) = (session, task, calls)
        await line.perform {
            guard task.storage.withLock({ $0.ledger.completed() }) else { return }
            await calls.run(call)
            task.storage.withLock { $0.release() }
            session.ended(task)
        }
    }

    /// Completes the task without waiting for an answer or a reader. Only the first call has an effect.
    func complete(_ error: (any Error)?, metrics: [ExchangeFacts]) async {
        question.close()
        let error = error.map { URLErrorMapping.completed($0, url: self.task.currentRequest?.url) }
        if error != nil, case .bytes(let channel) = task.handler { channel.stopWaiting() }
        let (session, task, calls, lastCall) = (session, task, calls, lastCall)
        await line.perform {
            let isFirst = task.storage.withLock { storage in
                guard storage.ledger.completed() else { return false }
                storage.error = error
                storage.waitingReason = nil
                return true
            }
            guard isFirst else { return }
            task.finishProgress(error == nil)
            let facts = URLSessionTaskMetrics(
                metrics, interval: DateInterval(start: task.createdAt, end: max(Date(), task.createdAt)))
            await calls.run {
                Recipients(task, session).notify((any URLSessionTaskDelegate).self) {
                    $0.urlSession(session, task: task, didFinishCollecting: facts)
                }
            }
            await Self.end(task, session, calls, lastCall, error)
            task.storage.withLock { $0.release() }
            session.ended(task)
        }
    }

    private static func end(
        _ task: URLSessionTask, _ session: URLSession, _ calls: DelegateCalls, _ lastCall: LastCall,
        _ error: (any Error)?
    ) async {
        let (handler, hasDelivered) = task.storage.withLock { ($0.handler, $0.hasDelivered) }
        let response = task.response
        let failure = error.map(UnsafeTransfer.init)
        switch handler {
        case .data(let handler):
            let data = task.storage.withLock { $0.collected }
            await calls.run { handler(failure == nil ? data : nil, response, failure?.value) }
        case .file(let handler): await calls.run { handler(nil, response, failure?.value) }
        case .keptFile(let handler): handler(nil, response, failure?.value)
        case .bytes(let channel): channel.ended(error)
        case nil:
            if hasDelivered { return }
            await calls.run {
                lastCall.make {
                    Recipients(task, session).notify((any URLSessionTaskDelegate).self) {
                        $0.urlSession(session, task: task, didCompleteWithError: failure?.value)
                    }
                }
            }
        }
    }
}
