import FerryCore
import Foundation
import FoundationNetworking
import Logging
import Synchronization

/// The transport of a task that is a transfer of a service, in this process or in ferryd.
///
/// Commands are sent to the service serially. Each reads the task's state when it runs, so the outcome of concurrent
/// calls follows the task's ledger. In background sessions, `resume`, `suspend` and `cancel` wait for their command.
final class TransferTransport: TaskTransport {
    struct State {
        var id: TransferID?
        /// The request to submit; nil once it has been submitted or has failed.
        var request: TransferRequest?
        var shown: ShownTransfer
        /// Whether the service was instructed to run the transfer.
        var isRunning = false
        /// Changes by the app that have not been sent to the service.
        var change: TransferChange?
        /// Whether the service's note of the task is outdated.
        var hasNewRecord = false
        var hasEnded = false
        /// Whether the session is not attached yet, so that calls do not wait for the service.
        var isDeferred = false
        /// The error that prevented the submission, or prevents the transfer from running.
        var failure: (any Error)?
        /// The resume data of a released transfer; `.some(nil)` if there is none.
        var released: Data??
        var asked: PendingChallenge?
        var begin: Task<Void, Never>?
        /// The begin date that the delegate was asked about.
        var askedFor: Date?
    }

    let task: URLSessionTask
    let kind: ClientNote.Kind
    let relay: TaskRelay
    let transfers: SessionTransfers
    let commands = CommandQueue()
    let state: Mutex<State>

    /// Creates the transport of a new task.
    init(
        _ request: TransferRequest, kind: ClientNote.Kind, offset: Int64?, relay: TaskRelay, transfers: SessionTransfers
    ) {
        self.task = relay.task
        self.kind = kind
        self.relay = relay
        self.transfers = transfers
        state = Mutex(State(request: request, shown: ShownTransfer(kind, offset: offset)))
    }

    /// Restores the transport of an earlier process's task.
    init(
        restored transfer: Transfer, kind: ClientNote.Kind, offset: Int64? = nil, relay: TaskRelay,
        transfers: SessionTransfers
    ) {
        self.task = relay.task
        self.kind = kind
        self.relay = relay
        self.transfers = transfers
        state = Mutex(State(id: transfer.id, shown: ShownTransfer(kind, restored: transfer, offset: offset)))
        state.withLock { $0.isRunning = [.running, .waiting].contains(transfer.state) }
        transfers.register(self, for: transfer.id)
    }

    // MARK: TaskTransport

    func resume() {
        // A service starts transfers in the order of their submission. In the background, tasks are submitted when they
        // are created.
        guard !transfers.place.isDaemon, state.withLock({ $0.request != nil }) else {
            return command { await self.settle() }
        }
        transfers.starts.add { await self.commands.perform { await self.settle() } }
    }

    func suspend() { command { await self.settle() } }
    func cancel() { command { await self.cancelNow() } }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        commands.add { await self.release(for: handler) }
    }

    func update(_ change: TaskChange) {
        state.withLock { state in
            var all = state.change ?? TransferChange()
            apply(change, to: &all)
            state.change = all
            state.hasNewRecord = true
        }
        if case .earliestBeginDate = change { watchBegin() }
        // A task that has not been resumed yet sends its changes when it is resumed.
        commands.add { await self.sendChange() }
    }

    /// Adds a command. In background sessions, blocks until it has finished or the maximum wait has passed.
    func command(_ work: @escaping @Sendable () async -> Void) {
        if transfers.place.isDaemon, !state.withLock(\.isDeferred) {
            commands.wait(seconds: Self.patience, work)
        } else {
            commands.add(work)
        }
    }

    /// Maximum time in seconds that a call waits for ferryd (docs/behaviour/url-session.md#7).
    static let patience = 10.0

    private func apply(_ change: TaskChange, to all: inout TransferChange) {
        switch change {
        case .priority(let priority): all.priority = Priority(task: priority)
        case .description: break
        case .earliestBeginDate(let date):
            if transfers.place.isDaemon { all.notBefore = Self.begin(date) ?? .distantPast }
        case .options(let options):
            all.rateLimit = TaskMapping.rate(options.bytesPerSecondLimit)
            all.retryRule = options.retryPolicy?.rule ?? (transfers.place.isDaemon ? RetryRule() : nil)
            if let record = TaskRecord(task) { all.checksums = transfers.mapping.checksums(record) }
        case .request(let request):
            all.url = request.url?.absoluteString
            all.headers = RequestFieldMapping.fields(request, transfers.mapping.configuration)
        }
    }
}

extension Priority {
    /// Maps a task's priority to one of the three priorities of a transfer.
    init(task priority: Float) {
        self = priority < 0.5 ? .low : priority > 0.5 ? .high : .normal
    }
}

/// The service of a session's transfers, in this process or in ferryd, and its folders.
struct TransferPlace: Sendable {
    /// Whether transfers outlive this process.
    let isDaemon: Bool
    /// Returns the service, opening or connecting to it if needed.
    let service: @Sendable () async throws(ServiceError) -> any TransferService
    /// Returns the folder of files that resume data refers to.
    let folder: @Sendable (ResumeData.Directory) -> String
    /// The folders in which apps see the files that resume data refers to.
    let folders: LocalFolders
    /// Takes over a released partial file, so that resume data can refer to it.
    let keep: @Sendable (PartialSource) throws -> (PartialSource, ResumeData.Directory)
    /// Returns once events may be delivered to delegates.
    let mayDeliver: @Sendable () async -> Void
}
