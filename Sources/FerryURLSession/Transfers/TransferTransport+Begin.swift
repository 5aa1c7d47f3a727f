import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

extension TransferTransport {
    /// Seconds that the delegate has to answer; ferryd begins by itself then, as it does for an app that is not there.
    private static let answerTime = 30.0

    /// What ferryd is told of a begin date: it leaves an attached app the time to answer.
    static func begin(_ date: Date?) -> Date? { date?.addingTimeInterval(answerTime) }

    /// Asks the delegate when the begin date has come (docs/behaviour/url-session.md#70), once for each date.
    func watchBegin() {
        guard transfers.place.isDaemon else { return }
        let wanted = task.earliestBeginDate
        let watch = (wanted == state.withLock(\.askedFor) ? nil : wanted).map { date in
            Task(name: "begin date of a task") { [weak self] in
                // The wall clock counts, and it may be set while this waits.
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

    /// The task has begun in an earlier process: its delegate is not asked about the begin date while it runs.
    func hasBegun() { state.withLock { $0.askedFor = task.earliestBeginDate } }

    private func begin(_ date: Date) async {
        guard task.toldState == .running, task.earliestBeginDate == date, !state.withLock(\.hasEnded),
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
    /// Carries a download.
    ///
    /// - Returns: nil for resume data that name no bytes.
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

    /// Carries an upload.
    ///
    /// - Throws: `URLError` if the file cannot be sent.
    static func upload(
        _ task: URLSessionTask, _ request: URLRequest, file: URL, relay: TaskRelay, transfers: SessionTransfers
    ) throws -> TransferTransport {
        let sent = try RequestMapping.sentFile(file)
        return try upload(task, request, sent, relay: relay, transfers: transfers)
    }

    /// Carries an upload that goes on where another one stopped.
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
        transfer.continues = continues
        return TransferTransport(transfer, kind: .upload, offset: nil, relay: relay, transfers: transfers)
    }
}
