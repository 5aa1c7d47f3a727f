// Ferry: FerryURLSession
// A task that can only fail.

import Foundation
import Synchronization

/// Ends its task with an error that was known from the start, once the task is resumed or canceled.
final class FailedTransport: TaskTransport {
    private let error: any Error
    private let relay: TaskRelay
    private let hasEnded = Atomic(false)

    init(_ error: any Error, relay: TaskRelay) {
        self.error = error
        self.relay = relay
    }

    func resume() { end(error) }
    func suspend() {}
    func cancel() { end(URLError.failing(.cancelled, relay.task.currentRequest?.url)) }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    private func end(_ error: any Error) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        Task(name: "end of a task") { await relay.complete(error, metrics: []) }
    }
}
