import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Delivers one task's steps serially. Merges consecutive progress steps of one kind, so that only a few of them are
/// kept in memory for a slow delegate.
final class RelayQueue: Sendable {
    private struct State {
        var steps: [RelayStep] = []
        var isDelivering = false
    }

    private let state = Mutex(State())
    private let notify: @Sendable (RelayStep) async -> Void

    init(_ notify: @escaping @Sendable (RelayStep) async -> Void) { self.notify = notify }

    func add(_ step: RelayStep) {
        let begins = state.withLock { state in
            if let last = state.steps.last, let merged = last.merged(with: step) {
                state.steps[state.steps.count - 1] = merged
            } else {
                state.steps.append(step)
            }
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if begins { Task(name: "events of a task") { await self.deliverAll() } }
    }

    /// Runs work after all earlier steps have been delivered, and returns its result.
    func perform<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            add(.work { continuation.resume(returning: await work()) })
        }
    }

    private func deliverAll() async {
        while let step = next() { await notify(step) }
    }

    private func next() -> RelayStep? {
        state.withLock { state in
            let step = state.steps.isEmpty ? nil : state.steps.removeFirst()
            if step == nil { state.isDelivering = false }
            return step
        }
    }
}

/// An event of a task that is to be delivered to its delegate.
enum RelayStep: Sendable {
    case sent(total: Int64, expected: Int64)
    case wrote(total: Int64, expected: Int64)
    case resumed(offset: Int64, expected: Int64)
    case informational(HTTPURLResponse)
    case waitsForConnectivity
    case waiting(WaitingReason?)
    /// Work that a caller of `RelayQueue.perform` awaits.
    case work(@Sendable () async -> Void)

    /// Returns the step that replaces this one and a later one; nil if both must be delivered.
    func merged(with later: RelayStep) -> RelayStep? {
        switch (self, later) {
        case (.sent, .sent), (.wrote, .wrote): later
        default: nil
        }
    }
}
