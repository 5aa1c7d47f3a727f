import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

extension TransferTransport {
    /// Time in seconds for the delegate to answer. After that, ferryd begins by itself, as without a running app.
    private static let answerTime = 30.0

    /// Returns the begin date for ferryd, which includes the time for an attached app to answer.
    static func begin(_ date: Date?) -> Date? { date?.addingTimeInterval(answerTime) }

    /// Asks the delegate when the begin date is reached (docs/behaviour/url-session.md#70), once per date.
    func watchBegin() {
        guard transfers.place.isDaemon else { return }
        let wanted = task.earliestBeginDate
        let watch = (wanted == state.withLock(\.askedFor) ? nil : wanted).map { date in
            Task(name: "begin date of a task") { [weak self] in
                // The wall clock decides, and it may be set during the wait.
                while case let rest = date.timeIntervalSinceNow, rest > 0 {
                    try? await Task.sleep(for: .seconds(min(rest, 30)))
                    if Task.isCancelled { return }
                }
                await self?.begin(date)
            }
        }
        state.withLock { state in
            state.begin?.cancel()
            state.begin = watch
        }
    }

    /// Notes that the task began in an earlier process. The delegate is not asked about its begin date again.
    func hasBegun() { state.withLock { $0.askedFor = task.earliestBeginDate } }

    private func begin(_ date: Date) async {
        guard task.reportedState == .running, task.earliestBeginDate == date, !state.withLock(\.hasEnded),
            let request = task.currentRequest
        else { return }
        state.withLock { $0.askedFor = date }
        await transfers.place.mayDeliver()
        let (disposition, other) = await relay.willBegin(request)
        // After that, ferryd has begun with the original request.
        guard let end = Self.begin(date), end > Date() else { return }
        var change = state.withLock(\.change) ?? TransferChange()
        change.notBefore = .distantPast
        switch disposition {
        case .continueLoading: break
        case .useNewRequest:
            guard let other else { break }
            relay.currentRequest(other)
            task.storage.withLock { $0.requests.replacement = other }
            change.url = other.url?.absoluteString
            change.headers = RequestFieldMapping.fields(other, transfers.mapping.configuration)
        case .cancel: return task.cancel()
        }
        state.withLock { [change] state in
            state.change = change
            state.hasNewRecord = true
        }
        await commands.perform { await self.sendChange() }
    }
}

extension TransferTransport {
    /// Creates the transport of a download.
    ///
    /// - Returns: Nil if the resume data covers no bytes.
    static func download(
        _ task: URLSessionTask, _ request: URLRequest, relay: TaskRelay, transfers: SessionTransfers,
        continuing data: ResumeData?
    ) -> TransferTransport? {
        guard let record = TaskRecord(task) else { return nil }
        if let data, data.received <= 0 { return nil }
        let source = data.map { $0.source(in: transfers.place.folder($0.directory)) }
        let transfer = transfers.mapping.download(request, task: task.taskIdentifier, record: record, continues: source)
        return TransferTransport(
            transfer, kind: .download, offset: data?.received, relay: relay, transfers: transfers)
    }

    /// Creates the transport of an upload.
    ///
    /// - Throws: `URLError` if the file cannot be sent.
    static func upload(
        _ task: URLSessionTask, _ request: URLRequest, file: URL, relay: TaskRelay, transfers: SessionTransfers
    ) throws -> TransferTransport {
        let sent = try TaskMapping.sentFile(file)
        return try upload(task, request, sent, relay: relay, transfers: transfers)
    }

    /// Creates the transport of an upload that resumes another one.
    static func upload(
        _ task: URLSessionTask, continuing data: UploadResumeData, relay: TaskRelay, transfers: SessionTransfers
    ) throws -> TransferTransport {
        guard case .file(let file) = data.body else { throw URLError(.unknown) }
        let source = PartialSource(UploadSource(data.upload, of: file))
        return try upload(task, data.originalRequest, file, continues: source, relay: relay, transfers: transfers)
    }

    private static func upload(
        _ task: URLSessionTask, _ request: URLRequest, _ file: RequestBody.SentFile, continues: PartialSource? = nil,
        relay: TaskRelay, transfers: SessionTransfers
    ) throws -> TransferTransport {
        guard let record = TaskRecord(task) else { throw URLError(.badURL) }
        var transfer = transfers.mapping.upload(request, file: file, task: task.taskIdentifier, record: record)
        transfer.file.continues = continues
        return TransferTransport(transfer, kind: .upload, offset: nil, relay: relay, transfers: transfers)
    }
}
