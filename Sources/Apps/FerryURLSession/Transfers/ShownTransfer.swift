import FerryCore
import Foundation

/// The state of a transfer that a task has shown so far. Computes the steps to the transfer's current state. A pure
/// value without I/O.
///
/// Snapshots of a transfer may be skipped or repeated. Totals decrease only after a restart from byte 0.
struct ShownTransfer: Hashable, Sendable {
    private let kind: ClientNote.Kind
    /// The offset that the task resumes at, until it is reported to the delegate.
    private var offset: Int64?
    private var startedOver = 0
    private var received: Int64 = 0
    private var sent: Int64 = 0
    private var url: String?
    private var response: ResponseFacts?
    private var waiting: WaitingReason?
    private var notifiedConnectivity = false

    /// - Parameter offset: The offset that the task resumes at, in bytes; nil if it starts at byte 0.
    init(_ kind: ClientNote.Kind, offset: Int64? = nil) {
        self.kind = kind
        self.offset = offset
        received = offset ?? 0
    }

    /// Restores the state of a transfer that an earlier process has seen. Its current totals and response count as
    /// shown.
    ///
    /// - Parameter offset: The offset that the task resumes at, in bytes, if no process has seen it resume.
    init(_ kind: ClientNote.Kind, restored transfer: Transfer, offset: Int64? = nil) {
        self.kind = kind
        if transfer.response == nil { self.offset = offset }
        startedOver = transfer.startedOver
        received = transfer.bytesReceived
        sent = transfer.sending.sent
        url = transfer.currentURL
        response = transfer.response
    }

    /// Returns the new steps of a transfer in the order of their delivery.
    mutating func steps(for transfer: Transfer, now: Date) -> [TaskStep] {
        var steps: [TaskStep] = []
        if transfer.currentURL != url {
            if url != nil || transfer.currentURL != transfer.url {
                steps.append(.request(url: transfer.currentURL, method: transfer.exchanges.last?.method))
            }
            url = transfer.currentURL
        }
        if let response = transfer.response, response != self.response {
            self.response = response
            steps.append(.response(response))
        }
        if transfer.sending.sent > sent {
            sent = transfer.sending.sent
            steps.append(.sent(total: sent, expected: transfer.sending.length ?? -1))
        }
        if kind == .download { steps += bytes(of: transfer) }
        let reason = WaitingReason(transfer, now: now)
        if reason != waiting {
            waiting = reason
            steps.append(.waiting(reason))
            if !notifiedConnectivity, let reason, reason.isAboutNetworks {
                notifiedConnectivity = true
                steps.append(.waitsForConnectivity)
            }
        }
        return steps
    }

    private mutating func bytes(of transfer: Transfer) -> [TaskStep] {
        var steps: [TaskStep] = []
        let expected = transfer.bytesExpected ?? -1
        // The offset is unknown until the server has responded.
        if transfer.startedOver > startedOver {
            startedOver = transfer.startedOver
            offset = nil
            received = 0
            steps.append(.resumed(offset: 0, expected: expected))
        } else if let begin = offset, transfer.response != nil {
            offset = nil
            steps.append(.resumed(offset: begin, expected: expected))
        }
        if offset == nil, transfer.bytesReceived > received {
            received = transfer.bytesReceived
            steps.append(.wrote(total: received, expected: expected))
        }
        return steps
    }
}

extension Transfer {
    /// The URL requested last.
    var currentURL: String { exchanges.last?.url ?? response?.url ?? finalURL ?? url }
}

extension WaitingReason {
    var isAboutNetworks: Bool {
        switch self {
        case .connectivity, .cellular, .expensive, .constrained: true
        default: false
        }
    }
}
