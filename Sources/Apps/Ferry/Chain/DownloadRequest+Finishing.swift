import Dispatch
import BackgroundURLSession
import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// Delivering the file of a chain request.
extension DownloadRequest {
    /// Records that the task has finished for a reason other than a pause.
    func ended(after mark: DeliveryMark?) {
        state.withLock { $0.ending.hasEnded = true }
        finishIfWanted(after: mark)
    }

    /// Adopts a download of an earlier process for a call of the app.
    func adopt(_ destination: DownloadFileDestination?, _ source: Source, of manager: SessionManager) {
        let hooks = manager.hooks
        let (task, startsImmediately) = state.withLock { state in
            state.destination = destination
            state.source = source
            state.hooks = hooks
            state.keptManager = hooks.retrier == nil ? nil : manager
            state.ending.isWanted = true
            return (state.task, hooks.startsRequestsImmediately)
        }
        guard let shared else { return }
        let status = task.state.withLock { task in
            task.request = self
            return task.stored
        }
        switch status {
        case .succeeded, .canceled, .removed: ended(after: nil)
        case .suspended where !startsImmediately: break
        case .suspended, .failed: shared.perform(.start, on: [task]) { _ in }
        default: break
        }
    }

    /// Picks up an earlier process's download unchanged, since the app requests its result.
    func adoptResult() {
        guard shared != nil else { return }
        let status = downloadTask.state.withLock { task -> Status? in
            guard task.request == nil, !task.calls.isForgotten else { return nil }
            task.request = self
            return task.stored
        }
        if let status, status.isEnd, status != .suspended { ended(after: nil) }
    }

    /// Moves the file to its destination and calls the waiting closures, once, on the operation queue.
    func finishIfWanted(after mark: DeliveryMark?) {
        let begins = state.withLock { state in
            guard state.ending.hasEnded, state.ending.isWanted, !state.ending.isFinishing, !state.ending.isReleasing,
                state.ending.result == nil
            else { return false }
            // A file without a destination waits until the app asks for the result.
            guard
                state.destination != nil || !state.ending.responders.isEmpty || state.ending.failure != nil
                    || state.task.status != .succeeded
            else { return false }
            state.ending.isFinishing = true
            return true
        }
        guard begins else { return }
        deliver(after: DeliveryQueue.own.after(mark)) { self.finish() }
    }

    /// Calls a closure on the operation queue.
    private func deliver(after mark: DeliveryMark? = nil, _ body: @escaping @Sendable () -> Void) {
        if let shared {
            shared.deliveries.add(.own, after: mark, body)
        } else {
            DispatchQueue.global().async(execute: body)
        }
    }

    private func finish() {
        let task = downloadTask
        let status = task.status
        let temporary = task.state.withLock(\.file.placed)
        if status == .succeeded, let temporary, !FileManager.default.fileExists(atPath: temporary) {
            // Either placed before the process ended, or lost: the daemon checks and fetches it again if necessary.
            state.withLock { state in
                state.ending.isFinishing = false
                state.ending.hasEnded = false
            }
            shared?.resumeTasks([(task, nil)]) {}
            return
        }
        if status == .failed, task.state.withLock(\.isSubmitted) {
            return handOver(task) { self.deliver { self.conclude(status, nil) } }
        }
        conclude(status, temporary.map { URL(fileURLWithPath: $0) })
    }

    // MARK: The partial file

    /// Cancels a download and keeps its bytes for resume data.
    func release() {
        let task = downloadTask
        let begins = state.withLock { state in
            guard !state.ending.isReleasing, !state.ending.hasEnded, state.ending.result == nil else { return false }
            state.ending.isReleasing = true
            return true
        }
        guard begins, let shared else { return }
        handOver(task) {
            // Only a download that the service did not hand over is still unfinished.
            shared.perform(.cancel, on: [task]) { _ in
                self.state.withLock { $0.ending.isReleasing = false }
                self.finishIfWanted(after: nil)
            }
        }
    }

    /// Asks the service for the partial file of a download and creates resume data.
    private func handOver(_ task: DownloadTask, then: @escaping @Sendable () -> Void) {
        guard let shared else { return then() }
        shared.release(task) { source in
            let used = self.state.withLock(\.ending.continued)
            let data = source.flatMap { source in
                self.request.flatMap { request in
                    PartialDownload.resumeData(of: request, source, isInSpool: shared.place.isDaemon, used: used)
                }
            }
            self.state.withLock { $0.ending.resumeData = data }
            then()
        }
    }

    // MARK: The result

    /// Handles the end of a download, unless the server requires credentials that are available.
    private func conclude(_ status: Status, _ temporary: URL?) {
        if !isAskingForCredentials(status, temporary) { judge(status, temporary) }
    }

    /// Delivers the result of a download, or retries if the app's retrier says so.
    private func judge(_ status: Status, _ temporary: URL?, _ refusal: (any Error)? = nil) {
        let result = result(status, temporary, refusal)
        let (manager, hooks) = state.withLock { ($0.keptManager, $0.hooks) }
        state.withLock { $0.ending.shown = ShownTask.Ending(error: result.error) }
        guard let error = result.error, let manager, let retrier = hooks.retrier else { return notify(result) }
        state.withLock { $0.retries.isAsked = true }
        retrier.should(manager, retry: self, with: error) { shouldRetry, delay in
            guard self.state.withLock({ $0.retries.takeAnswer() }) else { return }
            guard shouldRetry else { return self.deliver { self.notify(result) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + max(0, delay)) {
                self.state.withLock { $0.retries.count += 1 }
                self.restart(continuing: self.keptPartial)
            }
        }
    }

    /// The partial file that the failed download has left, if any.
    private var keptPartial: PartialDownload? {
        guard let shared, let data = state.withLock(\.ending.resumeData) else { return nil }
        return PartialDownload(resumeData: data, spool: shared.place.spool)
    }

    // MARK: Credentials

    /// Maximum number of answers to one server.
    private static let mostAnswers = 10

    /// Whether the server requires credentials that the delegate or the request provides.
    private func isAskingForCredentials(_ status: Status, _ temporary: URL?) -> Bool {
        // A refused continuation fails. The answer to a download without bytes is its file.
        guard status == .succeeded || status == .failed, let response, response.statusCode == 401 else { return false }
        let (credential, answers, source) = state.withLock { state in
            (state.retries.credential, state.retries.answers, state.source)
        }
        guard source != nil, answers < Self.mostAnswers else { return false }
        state.withLock { $0.retries.isAsked = true }
        if let manager, let task = shownTask,
            let challenge = URLAuthenticationChallenge(of: response, failures: answers),
            manager.delegate.decide(
                manager.session, task, challenge,
                { disposition, credential in
                    guard self.state.withLock({ $0.retries.takeAnswer() }) else { return }
                    self.deliver { self.answer(disposition, credential, status, temporary) }
                })
        {
            return true
        }
        guard let credential, answers == 0 else { return false }
        answer(.useCredential, credential, status, temporary)
        return true
    }

    private func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?, _ status: Status,
        _ temporary: URL?
    ) {
        switch disposition {
        case .useCredential where credential?.user != nil:
            state.withLock { state in
                state.retries.credential = credential
                state.retries.answers += 1
            }
            restart(continuing: keptPartial)
        case .cancelAuthenticationChallenge: judge(status, temporary, canceled(at: downloadTask.currentURL))
        case .useCredential, .performDefaultHandling, .rejectProtectionSpace: judge(status, temporary)
        }
    }

    // MARK: The file

    private func result(
        _ status: Status, _ temporary: URL?, _ refusal: (any Error)?
    ) -> DefaultDownloadResponse {
        let response = response
        let (checks, destination, resumeData) = state.withLock { ($0.checks, $0.destination, $0.ending.resumeData) }
        let (timeline, metrics) = (timeline, metrics)
        func result(_ place: URL? = nil, _ error: (any Error)? = nil) -> DefaultDownloadResponse {
            DefaultDownloadResponse(
                request: request, response: response, temporaryURL: temporary, destinationURL: place,
                resumeData: resumeData, error: error, timeline: timeline, metrics: metrics)
        }
        if let refusal { return result(nil, refusal) }
        guard status == .succeeded, let temporary else { return result(nil, failure(status)) }
        if let response {
            let size = try? FileManager.default.attributesOfItem(atPath: temporary.path)[.size] as? Int
            if let error = checks.refusal(of: response, isEmpty: size == 0) { return result(nil, error) }
        }
        var placed = result()
        if let manager, let reported = manager.delegate.downloadTaskDidFinishDownloadingToURL, let task = shownTask {
            reported(manager.session, task, temporary)
        } else if let destination, let response {
            let place = destination(temporary, response)
            do {
                placed = result(try Self.move(temporary, to: place.destinationURL, place.options))
            } catch {
                return result(nil, error)
            }
        }
        return checks.refusal(of: placed).map { result(placed.destinationURL, $0) } ?? placed
    }

    private var timeline: Timeline {
        let (created, dates) = state.withLock { ($0.created, $0.task.state.withLock(\.dates)) }
        let start = created.timeIntervalSinceReferenceDate
        let now = Date().timeIntervalSinceReferenceDate
        let first = dates.start > 0 ? dates.start - Date.timeIntervalBetween1970AndReferenceDate : now
        return Timeline(
            requestStartTime: start, initialResponseTime: max(first, start), requestCompletedTime: now,
            serializationCompletedTime: now)
    }

    /// Returns why there is no file: a `URLError` where a session's task has one.
    private func failure(_ status: Status) -> any Error {
        let (task, made, source) = state.withLock { ($0.task, $0.ending.failure, $0.source) }
        if let made { return made }
        let url = task.currentURL
        switch task.state.withLock(\.error) ?? (status == .removed ? .removed : .canceled) {
        case .transport(let error): return error
        case .canceled: return canceled(at: url)
        case .resourceTimeout:
            let sentence = FerryError.resourceTimeout.description
            return URLErrorMapping.error(ServiceError(.deadlineExceeded, sentence), url: url)
        case .cacheError where source.map(\.isResumed) == true:
            let sentence = "The partial file of the resume data is missing or was replaced."
            return URLErrorMapping.error(ServiceError(.partialLost, sentence), url: url)
        case let error: return error
        }
    }

    private func canceled(at url: URL) -> any Error {
        URLErrorMapping.error(ServiceError(.canceled, "cancelled"), url: url)
    }

    private static func move(
        _ file: URL, to destination: URL, _ options: DownloadOptions
    ) throws(FerryError) -> URL {
        let folder = destination.deletingLastPathComponent()
        if options.contains(.createIntermediateDirectories) {
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw .cacheError(reason: .cannotCreateDirectory(path: folder.path, error: error))
            }
        }
        let place = URLSessionDownloadTask.Destination(
            destination, conflictPolicy: options.contains(.removePreviousFile) ? .replace : .fail,
            createsIntermediateDirectories: false)
        do {
            return try FilePlacement.move(file.path, to: place)
        } catch let error as FerryURLSession.TransferError where error.code == ErrorCode.destinationExists.rawValue {
            throw .fileConflict(path: destination.path)
        } catch {
            throw .cacheError(
                reason: .cannotMoveItem(atPath: file.path, toPath: destination.path, error: error))
        }
    }

    /// Calls all waiting closures, and makes the daemon forget the download when the last of them has returned.
    private func notify(_ result: DefaultDownloadResponse) {
        let responders = state.withLock { state in
            state.ending.result = result
            state.ending.isFinishing = false
            state.keptManager = nil
            defer { state.ending.responders = [] }
            return state.ending.responders
        }
        completed(result.error)
        let group = DispatchGroup()
        for responder in responders {
            group.enter()
            let call = responder.prepare(result)
            responder.queue.call {
                call()
                group.leave()
            }
        }
        group.notify(queue: .global()) { [self] in
            retire(downloadTask)
            shared?.state.withLock { $0.restored.removeAll { $0 === self } }
        }
    }
}

extension Request.Source {
    /// Whether the source is resume data.
    fileprivate var isResumed: Bool { if case .resumeData = self { true } else { false } }
}
