package import FerryCore
import FerryRules
import Foundation

/// The contents of a fake service, its answers, and what it was asked.
package struct FakeState: Sendable {
    package var transfers: [TransferID: Transfer] = [:]
    package var lastID: UInt64 = 0x0123_4567_89ab_0000
    package var orders: [SessionID: [TransferID]] = [:]
    package var settings = ServiceSettings()
    package var settingsOfSessions: [SessionID: SessionSettings] = [:]
    package var lastEvent: Int64 = 0
    package var answers = Answers()
    package var calls = Calls()

    /// Answers that do not follow from the contents.
    package struct Answers: Sendable {
        /// Returns the error for a submitted request, or `nil` to accept it.
        package var refusal: @Sendable (TransferRequest) -> ServiceError? = { _ in nil }
        package var moveRefusal: ServiceError?
        /// The error of `status`.
        package var failure: ServiceError?
        /// The scripts of the next subscriptions. Later ones take `script`.
        package var scripts: [EventScript] = []
        package var script = EventScript()
        /// A stream for all subscriptions, instead of a script.
        package var live: AsyncThrowingStream<TransferEvent, any Error>?
        /// The end of a hosted service waits for an element.
        package var end: AsyncStream<Void>?

        mutating func nextScript() -> EventScript { scripts.isEmpty ? script : scripts.removeFirst() }
    }

    package struct Calls: Sendable {
        package var requests: [TransferRequest] = []
        /// Number of requests of each submission.
        package var submissions: [Int] = []
        package var changes: [TransferChange] = []
        package var actions: [TransferAction] = []
        package var lists: [TransferQuery] = []
        package var queries: [QueueQuery] = []
        package var subscriptions: [EventSubscription] = []
        package var acknowledged: [SessionID: Int64] = [:]
    }
}

/// The events of one subscription, and its end.
package struct EventScript: Sendable {
    package enum End: Sendable {
        case finishes, breaks
        /// It waits for its listener to leave, or ends with its transfers.
        case waits
    }

    package var events: [TransferEvent]
    package var end: End

    package init(_ events: [TransferEvent] = [], end: End = .waits) {
        self.events = events
        self.end = end
    }
}

extension FakeState {
    /// All transfers, in the order of their ids.
    package var all: [Transfer] { transfers.values.sorted { $0.id < $1.id } }

    func transfers(of session: SessionID?) -> [Transfer] { all.filter { session == nil || session == $0.session } }

    mutating func accept(_ request: TransferRequest) -> Transfer {
        lastID += 1
        let record = TransferRecord(
            id: TransferID(rawValue: lastID), createdAt: Date(timeIntervalSince1970: Double(lastID % 1000)),
            request: request, credentials: nil)
        let transfer = Transfer(record, live: .waiting(.slot))
        transfers[transfer.id] = transfer
        return transfer
    }

    /// Returns `nil` if the transfer is unknown.
    mutating func act(_ action: TransferAction, on id: TransferID) -> ActionResult? {
        guard transfers[id] != nil else { return nil }
        if action == .remove || action == .removeWithFile {
            transfers[id] = nil
            return ActionResult(id: id)
        }
        let state: TransferState = action == .pause ? .suspended : action == .cancel ? .canceled : .waiting
        transfers[id]?.state = state
        transfers[id]?.own.isActive = false
        return ActionResult(id: id, state: state)
    }

    func part(_ part: QueuePart, of session: SessionID?) -> [Transfer] {
        let own = transfers(of: session)
        switch part {
        case .active: return own.filter { $0.state == .running || $0.own.isActive }
        case .ended: return own.filter { [.succeeded, .failed, .canceled].contains($0.state) }
        case .waiting:
            let line = own.filter { [.waiting, .suspended].contains($0.state) && !$0.own.isActive }
            let order = session.flatMap { orders[$0] } ?? []
            return order.compactMap { id in line.first { $0.id == id } } + line.filter { !order.contains($0.id) }
        }
    }

    func info(_ session: SessionID) -> SessionInfo {
        SessionInfo(
            id: session, settings: settingsOfSessions[session] ?? SessionSettings(),
            transfers: Self.count(transfers(of: session)))
    }

    static func count(_ transfers: [Transfer]) -> [String: Int] {
        transfers.reduce(into: [:]) { $0[$1.state.rawValue, default: 0] += 1 }
    }
}

extension TransferQuery {
    /// Whether a list has a transfer.
    func includes(_ transfer: Transfer) -> Bool {
        if let after, newestFirst ? transfer.id >= after : transfer.id <= after { return false }
        return (states.isEmpty || states.contains(transfer.state)) && (session == nil || session == transfer.session)
            && (tagPrefix.map { prefix in transfer.tags.contains { $0.hasPrefix(prefix) } } ?? true)
    }
}
