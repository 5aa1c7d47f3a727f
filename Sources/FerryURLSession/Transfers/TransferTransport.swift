import FerryCore
import Foundation
import FoundationNetworking
import Logging
import Synchronization

/// Carries a task as a transfer of a service, in this process or in ferryd.
///
/// Commands go to the service one after the other. Each reads the task's state when its turn comes, so that the outcome of
/// concurrent calls is what the task's ledger says. In background sessions, `resume`, `suspend` and `cancel` wait for their
/// command.
final class TransferTransport: TaskTransport {
    struct State {
        var id: TransferID?
        /// The request to submit; nil once that is done or has failed.
        var request: TransferRequest?
        var shown: ShownTransfer
        /// Whether the service was told to run it.
        var isRunning = false
        /// The app's changes that the service was not told yet.
        var change: TransferChange?
        /// Whether the service's note of the task is out of date.
        var hasNewRecord = false
        var hasEnded = false
        /// Whether the session is not attached yet, so that no call waits for the service.
        var isDeferred = false
        /// Why the request could not be submitted, or its transfer was not to run.
        var failure: (any Error)?
        /// The resume data, once the transfer was released; `.some(nil)` if there are none.
        var released: Data??
        var asked: PendingChallenge?
        var begin: Task<Void, Never>?
        /// The begin date for which the delegate was asked.
        var askedFor: Date?
    }

    let task: URLSessionTask
    let kind: ClientNote.Kind
    let relay: TaskRelay
    let transfers: SessionTransfers
    let commands = CommandQueue()
    let state: Mutex<State>

    /// A task that is new.
    init(
        _ request: TransferRequest, kind: ClientNote.Kind, offset: Int64?, relay: TaskRelay, transfers: SessionTransfers
    ) {
        self.task = relay.task
        self.kind = kind
        self.relay = relay
        self.transfers = transfers
        state = Mutex(State(request: request, shown: ShownTransfer(kind, offset: offset)))
    }

    /// A task of an earlier process.
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

    func resume() { command { await self.settle() } }
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
        // A task that was not resumed yet sends its changes with the resumption.
        commands.add { await self.sendChange() }
    }

    /// Runs a command; in background sessions, returns when it has ended or makes its caller wait too long.
    func command(_ work: @escaping @Sendable () async -> Void) {
        if transfers.place.isDaemon, !state.withLock(\.isDeferred) {
            commands.wait(seconds: Self.patience, work)
        } else {
            commands.add(work)
        }
    }

    /// Seconds that a call waits for ferryd (docs/behaviour/url-session.md#7).
    static let patience = 10.0

    private func apply(_ change: TaskChange, to all: inout TransferChange) {
        switch change {
        case .priority(let priority): all.priority = Priority(task: priority)
        case .description: break
        case .earliestBeginDate(let date):
            if transfers.place.isDaemon { all.notBefore = Self.begin(date) ?? .distantPast }
        case .options(let options):
            all.rateLimit = RequestMapping.rate(options.bytesPerSecondLimit)
            all.retryRule = options.retryPolicy?.rule ?? (transfers.place.isDaemon ? RetryRule() : nil)
            if let record = TaskRecord(task) { all.checksums = transfers.mapping.checksums(record) }
        case .request(let request):
            all.url = request.url?.absoluteString
            all.headers = RequestFieldMapping.fields(request, transfers.mapping.configuration)
        }
    }
}

extension Priority {
    /// The three priorities that a transfer has, from the range of a task's.
    init(task priority: Float) {
        self = priority < 0.5 ? .low : priority > 0.5 ? .high : .normal
    }
}

/// Where a session's transfers are carried: in this process, or in ferryd.
struct TransferPlace: Sendable {
    /// Whether transfers outlive this process.
    let isDaemon: Bool
    /// The service; opens or reaches it.
    let service: @Sendable () async throws(ServiceError) -> any TransferService
    /// Where a file is that resume data name.
    let folder: @Sendable (ResumeData.Directory) -> String
    /// Where apps see the files that resume data name.
    let folders: LocalFolders
    /// Takes over a partial file that was released, for resume data to name.
    let keep: @Sendable (PartialSource) throws -> (PartialSource, ResumeData.Directory)
    /// Returns once delegates may be told of events.
    let mayDeliver: @Sendable () async -> Void
}
