import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Delivers one task's steps serially. Merges consecutive progress steps of one kind, so that only a few of them are
/// kept in memory for a slow delegate.
final class RelayQueue: Sendable {
    private enum Item {
        case step(TaskStep)
        /// Work that a caller of ``perform(_:)`` awaits.
        case work(@Sendable () async -> Void)
    }

    private struct State {
        var items: [Item] = []
        var isDelivering = false
    }

    private let state = Mutex(State())
    private let notify: @Sendable (TaskStep) async -> Void

    init(_ notify: @escaping @Sendable (TaskStep) async -> Void) { self.notify = notify }

    func add(_ step: TaskStep) { add(.step(step)) }

    private func add(_ item: Item) {
        let begins = state.withLock { state in
            if case .step(let step) = item, case .step(let last) = state.items.last,
                let merged = last.merged(with: step)
            {
                state.items[state.items.count - 1] = .step(merged)
            } else {
                state.items.append(item)
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
        while let item = next() {
            switch item {
            case .step(let step): await notify(step)
            case .work(let work): await work()
            }
        }
    }

    private func next() -> Item? {
        state.withLock { state in
            let item = state.items.isEmpty ? nil : state.items.removeFirst()
            if item == nil { state.isDelivering = false }
            return item
        }
    }
}
