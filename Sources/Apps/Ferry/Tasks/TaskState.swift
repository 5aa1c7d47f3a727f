import FerryCore
import Foundation

/// The state of a task in this process.
struct TaskState {
    /// Its transfer id, or nil until it is stored.
    var transfer: TransferID?
    var note: TaskNote
    /// The last status reported by the daemon.
    var stored = Status.waiting
    var waitingReason: WaitingReason? = .slot
    var error: FerryError?
    /// Whether the task had already finished when this process learned of it, and its closures have not been called.
    var isUntold = false
    var calls = TaskCalls()
    var file: TaskFile
    var asked: TaskParameters
    var answer: TaskAnswer
    private(set) var bytes: TaskBytes
    var dates = TaskDates()
    var closures = TaskClosures()
    var readers = TaskReaders()
    /// Completes a chain download. The task keeps it alive until then.
    var request: DownloadRequest?

    /// - Parameters:
    ///   - expectedSize: The size that the app expects, in bytes.
    ///   - startedOver: Number of restarts from byte 0 before this process knew the transfer.
    init(
        note: TaskNote, url: URL, folder: String, fileName: String, expectedSize: Int64? = nil, startedOver: Int = 0
    ) {
        self.note = note
        asked = TaskParameters(url: url.absoluteString)
        bytes = TaskBytes(expected: expectedSize, startedOver: startedOver)
        file = TaskFile(folder: folder, name: fileName)
        answer = TaskAnswer(url: url)
    }

    var status: Status { calls.shown ?? stored }
    var isSubmitted: Bool { transfer != nil }
    /// Why it failed, or -999 once it was stopped while running, like a canceled session task.
    var shownError: (any Error)? { error ?? (calls.hasStoppedRun ? URLError(.cancelled) : nil) }
    var validation: DownloadTask.Validation {
        note.validation?.result.flatMap(DownloadTask.Validation.init) ?? .unknown
    }

    // MARK: The daemon's reports

    /// Processes the daemon's description of the transfer, except its state. Returns whether the previous bytes were
    /// dropped.
    @discardableResult
    mutating func take(_ transfer: Transfer, now: ContinuousClock.Instant) -> Bool {
        let isRestarted = bytes.take(transfer, wasRunning: stored == .running, at: now)
        file.take(transfer, note.kind)
        answer.take(transfer)
        if note.kind == .chain, !transfer.exchanges.isEmpty { answer.exchanges = transfer.exchanges }
        dates.take(transfer)
        asked.priority = transfer.priority.rawValue
        bytes.updateProgress(in: stored)
        return isRestarted
    }

    /// Moves to a status reported by the daemon.
    ///
    /// - Parameters:
    ///   - takesTransfer: Whether the transfer was processed before.
    ///   - change: Applied with the new status, for example the error of a failure.
    mutating func move(to status: Status, takesTransfer: Bool = false, _ change: (inout TaskState) -> Void) {
        let before = stored
        stored = status
        if status == .waiting || status == .running { error = nil }
        change(&self)
        calls.came(to: status, from: before)
        if status != .waiting { waitingReason = nil }
        if status == .running { dates.started() }
        if status.isEnd {
            bytes.cameToRest()
            // The daemon reports the dates of success and failure.
            if before != status, status == .suspended { dates.ended() }
            if before == .running, status == .suspended, !takesTransfer { bytes.wasPaused() }
        }
        bytes.updateProgress(in: stored)
    }

    /// Processes the removal of the record.
    ///
    /// - Returns: The final status for the app, or nil for an obsolete record.
    mutating func depart(as departure: Status?) -> Status? {
        if calls.isForgotten { return nil }
        let status = departure ?? calls.departure ?? .removed
        calls.came(to: status, from: stored)
        stored = status
        error = nil
        waitingReason = nil
        bytes.cameToRest()
        dates.ended()
        return status
    }

    /// Processes the failure to store the task.
    mutating func discard(_ error: FerryError) {
        calls.came(to: .failed, from: stored)
        stored = .failed
        self.error = error
        waitingReason = nil
    }

    /// Decides the validation from a success.
    mutating func decideValidation(_ transfer: Transfer) {
        guard let validation = note.validation, validation.result == nil else { return }
        if transfer.error?.code == .digestMismatch {
            note.validation?.result = DownloadTask.Validation.incorrect.rawValue
            return
        }
        guard let wanted = Checksum(validation.type, validation.code).core else { return }
        if transfer.verified.contains(wanted) {
            note.validation?.result = DownloadTask.Validation.correct.rawValue
        } else if transfer.mismatched.contains(where: { $0.algorithm == wanted.algorithm }) {
            note.validation?.result = DownloadTask.Validation.incorrect.rawValue
        }
    }

    /// Returns why a transfer has failed, as shown to the app.
    func failure(_ error: ServiceError?) -> FerryError {
        let error = error ?? ServiceError(.internal, "The transfer has failed.")
        let shown = FerryError(error, to: file.path)
        // The daemon was given a substitute for an impossible checksum.
        guard case .checksumMismatch(_, let actual) = shown, let validation = note.validation,
            Checksum(validation.type, validation.code).core == nil
        else { return shown }
        return .checksumMismatch(expected: validation.code, actual: actual)
    }

    // MARK: Calls

    /// Returns the change of an existing task by a download call, or nil if none.
    ///
    /// - Parameter mapped: Returns the transfer of the task's URL with these headers.
    mutating func change(
        headers: HTTPHeaders?, name: String?, mapped: (HTTPHeaders) -> TransferRequest
    ) -> TransferChange? {
        var change = TransferChange()
        // The daemon removes secret headers when a transfer succeeds or is canceled, and some time after a failure.
        let hasEnded = [.succeeded, .failed, .canceled].contains(stored)
        if let headers, headers != asked.headers || hasEnded && !headers.isEmpty {
            asked.headers = headers
            change.headers = mapped(headers).headers
        }
        if hasEnded {
            let login = mapped(asked.headers).login
            if !login.cookies.isEmpty { change.login.cookies = login.cookies }
            if !login.logins.isEmpty { change.login.logins = login.logins }
        }
        if let name, name != file.name { change.name = name }
        return change == TransferChange() ? nil : change
    }

    /// Processes the result of a change, except the state, which events report.
    mutating func takeChange(_ transfer: Transfer) {
        asked.tags = Set(transfer.tags)
        asked.priority = transfer.priority.rawValue
        if note.kind == .placed { file.takeName(of: transfer) }
    }

    // MARK: Numbers

    /// Size of the whole file in bytes. -1 while unknown.
    var total: Int64 { bytes.total(in: stored) }

    /// Returns the received and expected bytes. Always the same object.
    mutating func progress() -> Progress { bytes.progress(in: stored) }

    func speed(now: ContinuousClock.Instant) -> Int64 { stored == .running ? bytes.speed(at: now) : 0 }

    /// Returns the whole seconds until the end at the current speed. 0 if unknown.
    func timeRemaining(now: ContinuousClock.Instant) -> Int64 { bytes.timeRemaining(atSpeed: speed(now: now)) }

    func downloadProgress(now: ContinuousClock.Instant) -> DownloadProgress {
        let rest = timeRemaining(now: now)
        return DownloadProgress(
            receivedBytes: bytes.received, expectedBytes: bytes.expected, bytesPerSecond: speed(now: now),
            timeRemaining: rest > 0 ? .seconds(rest) : nil)
    }
}
