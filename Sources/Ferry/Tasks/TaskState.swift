import FerryCore
import Foundation

/// What is known of a task in this process.
struct TaskState {
    /// The daemon's name for it; nil until it is stored.
    var transfer: TransferID?
    var note: TaskNote
    /// What the daemon has said last.
    var stored = Status.waiting
    var waitingReason: WaitingReason? = .slot
    var error: FerryError?
    /// Whether the task had ended when this process first heard of it, and this process has not told of that end.
    var isUntold = false
    var calls = TaskCalls()
    var file: TaskFile
    var asked = TaskParameters()
    var answer: TaskAnswer
    private(set) var bytes: TaskBytes
    var dates = TaskDates()
    var closures = TaskClosures()
    var readers = TaskReaders()
    /// Finishes a download of the chain; the task keeps it alive until that is done.
    var request: DownloadRequest?

    /// - Parameter startedOver: how often its transfer has begun again before this process knew it.
    init(note: TaskNote, url: URL, folder: String, fileName: String, startedOver: Int = 0) {
        self.note = note
        bytes = TaskBytes(startedOver: startedOver)
        file = TaskFile(folder: folder, name: fileName)
        answer = TaskAnswer(url: url)
    }

    var status: Status { calls.shown ?? stored }
    var isSubmitted: Bool { transfer != nil }
    /// Why it failed, or -999 once it was stopped while it ran, as a session's task that is canceled has it.
    var shownError: (any Error)? { error ?? (calls.hasStoppedRun ? URLError(.cancelled) : nil) }
    var validation: DownloadTask.Validation {
        note.validation?.result.flatMap(DownloadTask.Validation.init) ?? .unknown
    }

    // MARK: The daemon's word

    /// Takes in what the daemon says of the transfer, but not its state; whether the bytes so far were given up.
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

    /// Moves to what the daemon says.
    ///
    /// - Parameters:
    ///   - takesTransfer: whether the transfer in that state was taken in before.
    ///   - change: what comes with the new state, such as the error of a failure.
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
            // The daemon says when a transfer has succeeded or failed.
            if before != status, status == .suspended { dates.ended() }
            if before == .running, status == .suspended, !takesTransfer { bytes.wasPaused() }
        }
        bytes.updateProgress(in: stored)
    }

    /// Takes in that the record is gone.
    ///
    /// - Returns: What that means to the app; nil for a record that is only forgotten.
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

    /// Takes in that the task could not be stored.
    mutating func discard(_ error: FerryError) {
        calls.came(to: .failed, from: stored)
        stored = .failed
        self.error = error
        waitingReason = nil
    }

    /// What a success says of the code that the file was compared with.
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

    /// Why a transfer has failed, as it is shown.
    func failure(_ error: ServiceError?) -> FerryError {
        let error = error ?? ServiceError(.internal, "The transfer has failed.")
        let shown = FerryError(error, to: file.path)
        // The daemon was given another code in place of one that no file has.
        guard case .checksumMismatch(_, let actual) = shown, let validation = note.validation,
            Checksum(validation.type, validation.code).core == nil
        else { return shown }
        return .checksumMismatch(expected: validation.code, actual: actual)
    }

    // MARK: Calls

    /// What a download call changes about a task that is there; nil if nothing.
    mutating func change(headers: HTTPHeaders?, name: String?) -> TransferChange? {
        var change = TransferChange()
        // The daemon forgets headers that are secrets when a transfer succeeds or is canceled, and some time after a failure.
        let hasEnded = [.succeeded, .failed, .canceled].contains(stored)
        if let headers, headers != asked.headers || hasEnded && !headers.isEmpty {
            asked.headers = headers
            change.headers = RequestPlan.fields(headers)
        }
        if let name, name != file.name { change.name = name }
        return change.headers == nil && change.name == nil ? nil : change
    }

    /// Takes in what a change has made of the transfer, but for its state, which the events tell.
    mutating func takeChange(_ transfer: Transfer) {
        asked.tags = Set(transfer.tags)
        asked.priority = transfer.priority.rawValue
        if note.kind == .placed { file.takeName(of: transfer) }
    }

    // MARK: Numbers

    /// Bytes of the whole file; -1 until they are known.
    var total: Int64 { bytes.total(in: stored) }

    /// Received and expected bytes; the same object each time.
    mutating func progress() -> Progress { bytes.progress(in: stored) }

    func speed(now: ContinuousClock.Instant) -> Int64 { stored == .running ? bytes.speed(at: now) : 0 }

    /// Whole seconds until the end at this speed; 0 if that is not known.
    func timeRemaining(now: ContinuousClock.Instant) -> Int64 { bytes.timeRemaining(atSpeed: speed(now: now)) }

    func downloadProgress(now: ContinuousClock.Instant) -> DownloadProgress {
        let rest = timeRemaining(now: now)
        return DownloadProgress(
            receivedBytes: bytes.received, expectedBytes: bytes.expected, bytesPerSecond: speed(now: now),
            timeRemaining: rest > 0 ? .seconds(rest) : nil)
    }
}
