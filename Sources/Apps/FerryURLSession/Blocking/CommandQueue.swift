import Dispatch
import Synchronization

/// Runs commands serially on an executor that threads may block on.
package final class CommandQueue: Sendable {
    private struct Command {
        /// The group of calls that the command performs; nil for a single call.
        let group: (any AnyObject & Sendable)?
        let body: @Sendable () async -> Void
    }

    private struct State {
        var commands: [Command] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ command: @escaping @Sendable () async -> Void) { add(Command(group: nil, body: command)) }

    /// Adds a command for a group of calls, unless the last waiting command's group absorbs them.
    ///
    /// - Parameter isTakenUp: Whether the group of the last waiting command has absorbed the calls.
    package func add<Group: AnyObject & Sendable>(
        for group: Group, isAbsorbed: (Group) -> Bool, _ command: @escaping @Sendable () async -> Void
    ) {
        add(Command(group: group, body: command)) { ($0 as? Group).map(isAbsorbed) ?? false }
    }

    private func add(_ command: Command, isAbsorbed: (AnyObject) -> Bool = { _ in false }) {
        let begins = state.withLock { state in
            if let last = state.commands.last?.group, isAbsorbed(last) { return false }
            state.commands.append(command)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return }
        Task(name: "commands of a task", executorPreference: BlockingExecutor.shared) { await self.runAll() }
    }

    /// Runs a command after all earlier commands and returns when it has finished.
    package func perform(_ command: @escaping @Sendable () async -> Void) async {
        await withCheckedContinuation { done in
            add {
                await command()
                done.resume()
            }
        }
    }

    private func runAll() async {
        while let command = next() { await command.body() }
    }

    private func next() -> Command? {
        state.withLock { state in
            guard !state.commands.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.commands.removeFirst()
        }
    }
}

extension CommandQueue {
    /// Runs a command after all earlier commands. Blocks this thread until it has finished or the seconds have passed.
    ///
    /// - Returns: Whether it has finished.
    @discardableResult
    package func wait(seconds: Double, _ command: @escaping @Sendable () async -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        add {
            await command()
            done.signal()
        }
        return done.wait(timeout: .now() + seconds) == .success
    }
}
