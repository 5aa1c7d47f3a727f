import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking

/// What is known of a task in this process.
struct TaskState {
    /// The daemon's name for it; nil until it is stored.
    var transfer: TransferID?
    /// What the daemon has said last.
    var stored = Status.waiting
    /// What a call has asked for and the daemon has not answered yet.
    var will: Status?
    /// What its removal means, once somebody has asked for it: canceled or removed.
    var departure: Status?
    /// How many calls that end it have been made and not answered.
    var leaving = 0
    /// Whether a download of the same URL was made while it was about to leave.
    var isReplaced = false
    /// Whether it was at its end when this process first heard of it, and nobody was told of that here.
    var isUntold = false
    /// Whether its record goes because nobody needs it any more: that is no end of its own.
    var isForgotten = false
    var waitingReason: WaitingReason? = .slot
    var note: TaskNote
    /// Whether somebody waits for the daemon to have stored it.
    var isSubmitted = false

    var folder: String
    var fileName: String
    /// Where the file is, or will be, as the daemon says.
    var destination: String?
    var currentURL: URL
    var tags: Set<String> = []
    var priority = 0
    var method = HTTPMethod.get
    var headers: HTTPHeaders = [:]

    var error: FerryError?
    var response: ResponseFacts?
    /// Bytes as they are shown: only a start from 0 takes any back.
    var received: Int64 = 0
    /// Bytes that the daemon has; after its death those that are durable, which may be less than what it has said before.
    var held: Int64 = 0
    var expected: Int64?
    var startedOver = 0
    /// Whether it begins from 0 when it runs again.
    var beginsAnew = false
    /// Whether its file was there before it.
    var wasThere = false
    var startDate = 0.0
    var endDate = 0.0
    var window = SpeedWindow()
    /// Made when an app reads it first; kept up to date from then on.
    var progress: Progress?

    var slots = Slots<DownloadTask>()
    var validations: [Slot<DownloadTask>] = []
    /// Whether a progress closure waits to be called, and where.
    var queuedProgress = false
    var progressMark: DeliveryMark?
    var lastProgress: ContinuousClock.Instant?
    /// Bytes that the last progress closure was called for.
    var toldBytes: Int64 = -1
    /// The size that was known then.
    var toldTotal: Int64 = -1
    /// Called on the main queue at every change of state and with new bytes.
    var watcher: Handler<DownloadTask>?
    var observers: [Int: EventQueue] = [:]
    var nextObserver = 0
    /// Who finishes a download of the chain; until it is done, it lives here.
    var request: DownloadRequest?
    var waiters: [Int: CheckedContinuation<Result<URL, FerryError>, Never>] = [:]

    init(note: TaskNote, url: URL, folder: String, fileName: String) {
        self.note = note
        self.folder = folder
        self.fileName = fileName
        currentURL = url
    }

    var status: Status { will ?? stored }
    var validation: DownloadTask.Validation {
        note.validation?.result.flatMap(DownloadTask.Validation.init) ?? .unknown
    }
    var filePath: String { destination ?? folder + "/" + fileName }

    /// Takes in what the daemon says of the transfer, but not its state; whether the bytes so far were given up.
    @discardableResult
    mutating func take(_ transfer: Transfer, now: ContinuousClock.Instant) -> Bool {
        let isRestarted = takeBytes(of: transfer)
        if let path = transfer.destination, note.kind == .placed {
            destination = path
            fileName = path.lastPathPart
        } else if note.kind == .chain, transfer.state == .succeeded {
            destination = transfer.destination
        }
        wasThere = transfer.unchanged
        if let text = transfer.finalURL, let url = URL(string: text) { currentURL = url }
        if let facts = transfer.response { response = facts }
        if startDate == 0, let date = transfer.startedAt { startDate = date.timeIntervalSince1970 }
        if let date = transfer.finishedAt { endDate = date.timeIntervalSince1970 }
        startedOver = max(startedOver, transfer.startedOver)
        priority = transfer.priority.rawValue
        if stored == .running || transfer.state == .running { window.add(held, at: now) }
        updateProgress()
        return isRestarted
    }

    private mutating func takeBytes(of transfer: Transfer) -> Bool {
        held = transfer.bytesReceived
        let isActive = transfer.state == .running || transfer.state == .waiting
        let isRestarted = transfer.startedOver > startedOver || (beginsAnew && isActive)
        let isWhole = transfer.state == .succeeded
        // A failure that leaves nothing of what there was has given it up, and a whole file is never continued.
        let loses = transfer.state == .failed && held == 0 && received > 0
        if isRestarted || isWhole || loses { beginsAnew = isWhole || loses }
        received = isRestarted || isWhole ? held : max(received, held)
        expected = transfer.bytesExpected ?? (isRestarted ? nil : expected)
        return isRestarted
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
    func failure(_ error: FerryCore.TransferError?) -> FerryError {
        let error = error ?? FerryCore.TransferError(.internal, "The transfer has failed.")
        let shown = FerryError(error, to: filePath)
        // The daemon was given another code in place of one that no file has.
        guard case .checksumMismatch(_, let actual) = shown, let validation = note.validation,
            Checksum(validation.type, validation.code).core == nil
        else { return shown }
        return .checksumMismatch(expected: validation.code, actual: actual)
    }

    func updateProgress() {
        guard let progress else { return }
        let total = total
        if progress.totalUnitCount != total { progress.totalUnitCount = total }
        progress.completedUnitCount = received
    }

    /// Bytes of the whole file; -1 until they are known.
    var total: Int64 {
        if let expected { return max(expected, received) }
        return stored == .succeeded ? received : -1
    }

    func speed(now: ContinuousClock.Instant) -> Int64 { stored == .running ? window.bytesPerSecond(at: now) : 0 }

    /// Whole seconds until the end at this speed; 0 if that is not known.
    func timeRemaining(now: ContinuousClock.Instant) -> Int64 {
        let speed = speed(now: now)
        guard stored == .running, speed > 0, let expected, expected > received else { return 0 }
        return (expected - received + speed - 1) / speed
    }

    func downloadProgress(now: ContinuousClock.Instant) -> DownloadProgress {
        let speed = speed(now: now)
        let rest = timeRemaining(now: now)
        return DownloadProgress(
            receivedBytes: received, expectedBytes: expected, bytesPerSecond: speed,
            timeRemaining: rest > 0 ? .seconds(rest) : nil)
    }
}
