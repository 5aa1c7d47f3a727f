import Foundation
import Synchronization

/// Calls closures on the main queue and on the operation queue, in order and one at a time for each queue.
///
/// A closure may have to wait for a mark in the other queue: this is how a task's completion precedes its manager's,
/// whatever their queues. Otherwise the queues are independent.
final class Deliveries: Sendable {
    private struct Item {
        let after: DeliveryMark?
        let body: @Sendable () -> Void
    }

    private struct Line {
        var items: [Item] = []
        /// Number of items already called.
        var head = 0
        /// Number of closures added.
        var added = 0
        /// Number of closures that have returned.
        var done = 0
        var isRunning = false
    }

    private struct State {
        var lines = [Line](repeating: Line(), count: DeliveryQueue.allCases.count)
        var ownQueue: DispatchQueue
        var quiet: [CheckedContinuation<Void, Never>] = []

        func isReached(_ mark: DeliveryMark?) -> Bool {
            guard let mark else { return true }
            return lines[mark.line.rawValue].done >= mark.number
        }
    }

    /// Time after which other work of the same dispatch queue may run between two closures.
    private static let turn: Duration = .milliseconds(4)

    private let state: Mutex<State>

    init(operationQueue: DispatchQueue) {
        state = Mutex(State(ownQueue: Self.serial(on: operationQueue)))
    }

    /// Changes the operation queue for later closures.
    func setOperationQueue(_ queue: DispatchQueue) {
        let serial = Self.serial(on: queue)
        state.withLock { $0.ownQueue = serial }
    }

    /// Appends a closure to a queue.
    ///
    /// - Parameter after: A mark to wait for.
    /// - Returns: The mark that is reached once the closure has returned.
    @discardableResult
    func add(_ line: DeliveryQueue, after: DeliveryMark? = nil, _ body: @escaping @Sendable () -> Void) -> DeliveryMark
    {
        let mark = state.withLock { state in
            state.lines[line.rawValue].items.append(Item(after: after, body: body))
            state.lines[line.rawValue].added += 1
            return DeliveryMark(line: line, number: state.lines[line.rawValue].added)
        }
        run(line)
        return mark
    }

    /// Returns once every added closure has returned.
    func waitUntilQuiet() async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                let isQuiet = state.lines.allSatisfy { $0.done == $0.added }
                if !isQuiet { state.quiet.append(continuation) }
                return isQuiet
            }
            if isQuiet { continuation.resume() }
        }
    }

    // MARK: -

    /// Makes a queue serial, so that closures run one at a time on a concurrent queue too.
    private static func serial(on queue: DispatchQueue) -> DispatchQueue {
        queue.isMain ? queue : DispatchQueue(label: queue.label + ".callbacks", target: queue)
    }

    /// Runs a queue if it has closures and is idle.
    private func run(_ line: DeliveryQueue) {
        let queue: DispatchQueue? = state.withLock { state in
            let own = state.lines[line.rawValue]
            guard !own.isRunning, own.head < own.items.count, state.isReached(own.items[own.head].after) else {
                return nil
            }
            state.lines[line.rawValue].isRunning = true
            return line == .main ? .main : state.ownQueue
        }
        queue?.call { self.callAll(line) }
    }

    private func callAll(_ line: DeliveryQueue) {
        let start = ContinuousClock.now
        while let body = next(line) {
            body()
            returned(line)
            guard ContinuousClock.now - start < Self.turn else {
                state.withLock { $0.lines[line.rawValue].isRunning = false }
                return run(line)
            }
        }
        // Closures may have been added since the last check.
        run(line)
    }

    private func next(_ line: DeliveryQueue) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let index = line.rawValue
            let head = state.lines[index].head
            guard head < state.lines[index].items.count, state.isReached(state.lines[index].items[head].after) else {
                state.lines[index].isRunning = false
                return nil
            }
            let body = state.lines[index].items[head].body
            state.lines[index].head += 1
            if head + 1 == state.lines[index].items.count || head >= 1024 {
                state.lines[index].items.removeFirst(head + 1)
                state.lines[index].head = 0
            }
            return body
        }
    }

    private func returned(_ line: DeliveryQueue) {
        let quiet = state.withLock { state in
            state.lines[line.rawValue].done += 1
            guard state.lines.allSatisfy({ $0.done == $0.added }) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.quiet = [] }
            return state.quiet
        }
        for continuation in quiet { continuation.resume() }
        run(line.other)
    }
}

extension DispatchQueue {
    /// Marks the main queue, since two objects of this class may represent the same queue.
    private static let mainMark = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether this is the main queue.
    var isMain: Bool { getSpecific(key: Self.mainMark) ?? false }

    /// Calls an app's closure on this queue.
    ///
    /// On the main queue the call is an operation of `OperationQueue.main`. A notification posted there calls observers
    /// with `queue: .main` directly. Posted from another block of the main queue, it would wait for the main queue, and
    /// so for itself.
    func call(_ body: @escaping @Sendable () -> Void) {
        if isMain { OperationQueue.main.addOperation(body) } else { async(execute: body) }
    }
}

/// The queue of a manager's closure.
enum DeliveryQueue: Int, CaseIterable, Sendable {
    /// The main queue.
    case main
    /// The manager's operation queue, one closure at a time.
    case own

    init(onMainQueue: Bool) { self = onMainQueue ? .main : .own }

    var other: DeliveryQueue { self == .main ? .own : .main }

    /// Returns the mark to wait for so that a closure in this queue follows some others. Order within a queue is
    /// implied, and the last mark in the other queue counts.
    func after(_ marks: DeliveryMark?...) -> DeliveryMark? {
        marks.compactMap(\.self).filter { $0.line == other }.max { $0.number < $1.number }
    }
}

/// A position in a queue. Reached once the closure there, and all before it, have returned.
struct DeliveryMark: Hashable, Sendable {
    let line: DeliveryQueue
    let number: Int
}
