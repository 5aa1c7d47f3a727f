import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Tells one task's steps one after the other. Consecutive progress steps of one kind become one step, so that a slow
/// delegate leaves no more than a few of them in memory.
final class RelayQueue: Sendable {
    private struct State {
        var steps: [RelayStep] = []
        var isDelivering = false
    }

    private let state = Mutex(State())
    private let tell: @Sendable (RelayStep) async -> Void

    init(_ tell: @escaping @Sendable (RelayStep) async -> Void) { self.tell = tell }

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

    /// Does some work when all that was added before has been told, and returns its result.
    func perform<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            add(.work { continuation.resume(returning: await work()) })
        }
    }

    private func deliverAll() async {
        while let step = next() { await tell(step) }
    }

    private func next() -> RelayStep? {
        state.withLock { state in
            let step = state.steps.isEmpty ? nil : state.steps.removeFirst()
            if step == nil { state.isDelivering = false }
            return step
        }
    }
}

/// Something that happened to a task and that its delegate is still to be told.
enum RelayStep: Sendable {
    case sent(total: Int64, expected: Int64)
    case wrote(total: Int64, expected: Int64)
    case resumed(offset: Int64, expected: Int64)
    case informational(HTTPURLResponse)
    case waitsForConnectivity
    case waiting(WaitingReason?)
    /// Work that a call of `RelayQueue.perform` waits for.
    case work(@Sendable () async -> Void)

    /// The step that replaces this one and a later one; nil if both must be told.
    func merged(with later: RelayStep) -> RelayStep? {
        switch (self, later) {
        case (.sent, .sent), (.wrote, .wrote): later
        default: nil
        }
    }
}
