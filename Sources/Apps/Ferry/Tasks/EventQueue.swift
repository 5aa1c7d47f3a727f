import Synchronization

/// The unread events of one observer of a task: every status change, and the newest progress.
///
/// Bounded to `capacity` events: the oldest changes after the first one are dropped for a reader that has stopped.
final class EventQueue: Sendable {
    private struct State {
        var events: [DownloadEvent] = []
        var reader: CheckedContinuation<DownloadEvent?, Never>?
        var isOver = false
    }

    /// Maximum number of events for a slow reader.
    static let capacity = 256

    private let state = Mutex(State())

    /// Appends an event. Ignored after the last event of the sequence.
    func add(_ event: DownloadEvent) {
        let (reader, next): (CheckedContinuation<DownloadEvent?, Never>?, DownloadEvent?) = state.withLock { state in
            guard !state.isOver else { return (nil, nil) }
            if event.endsSequence { state.isOver = true }
            if let reader = state.reader {
                state.reader = nil
                return (reader, event)
            }
            if case .progress = event, case .progress = state.events.last {
                state.events[state.events.count - 1] = event
            } else {
                if state.events.count >= Self.capacity { state.events.remove(at: 1) }
                state.events.append(event)
            }
            return (nil, nil)
        }
        reader?.resume(returning: next)
    }

    /// Returns the next event, or nil after the last one or if the reader's task is canceled.
    func next() async -> DownloadEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let next: DownloadEvent?? = state.withLock { state in
                    if !state.events.isEmpty { return .some(state.events.removeFirst()) }
                    if state.isOver || Task.isCancelled { return .some(nil) }
                    state.reader = continuation
                    return .none
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}

extension DownloadEvent {
    /// Whether it is the last event.
    var endsSequence: Bool {
        switch self {
        case .succeeded, .failed, .canceled, .removed: true
        case .state, .response, .restarted, .progress: false
        }
    }
}
